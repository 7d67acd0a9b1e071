import pino, { type DestinationStream, type Logger } from 'pino'
import { lineWriter } from './lib/line-writer.ts'

const service = 'rollbook'

/**
 * The log: one JSON line an event on standard output, written in the background. Secrets are not put into it in the
 * first place; the paths here are the second line of defence.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      formatters: { level: (label) => ({ level: label }) },
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          'password',
          'key',
          'authorization',
          'cookie',
          '*.password',
          '*.key',
          '*.authorization',
          '*.cookie',
          '*.password_hash',
          'err.detail',
          'err.cause.detail',
        ],
        censor: '[redacted]',
      },
    },
    destination ?? lineWriter(1),
  )
}

/**
 * Writes an event whose members are known and hold no secret, straight to where the log goes: pino would search it for
 * secrets and costs four times as much a line, which every request would pay.
 */
export function lineLogger(log: Logger): (event: Record<string, unknown>) => void {
  // pino's types do not know the symbol that its documentation gives out.
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym] as DestinationStream
  if (!log.isLevelEnabled('info')) return () => {}
  // Many lines fall into one millisecond.
  let ms = 0
  let head = ''
  return (event) => {
    const now = Date.now()
    if (now !== ms) {
      ms = now
      head = `{"level":"info","time":"${new Date(now).toISOString()}","service":"${service}",`
    }
    stream.write(`${head}${JSON.stringify(event).slice(1)}\n`)
  }
}
