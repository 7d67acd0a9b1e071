import pino, { type DestinationStream, type Logger } from 'pino'
import { AppError } from '../core/errors.ts'
import { lineWriter } from '../lib/line-writer.ts'
import { storageRefusal as postgresRefusal } from '../store/db/postgres/failures.ts'
import { storageRefusal as sqliteRefusal } from '../store/db/sqlite/failures.ts'

const service = 'rollbook'

/**
 * The log: one JSON line an event on standard output, written in the background. No code logs a secret; the redacted
 * paths here are a second line of defence.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      formatters: { level: (label) => ({ level: label }) },
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
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
          '*.totp_secret',
          '*.factors',
          'err.detail',
          'err.cause.detail',
        ],
        censor: '[redacted]',
      },
    },
    destination ?? lineWriter(1),
  )
}

/** Omits the stack of a known reason: an outage causes many such errors, and only the reason helps. */
function serializeError(error: Error & { code?: string }): object {
  const refusal = error instanceof AppError ? error : (sqliteRefusal(error) ?? postgresRefusal(error))
  if (refusal === undefined || refusal.code === 'internal_error') return pino.stdSerializers.err(error)
  const { cause } = refusal
  const reason = cause instanceof Error ? cause.message || (cause as { code?: string }).code : undefined
  return { type: error.name, code: refusal.code, message: error.message || error.code, ...(reason && { reason }) }
}

/**
 * Writes an event without secrets directly to the log's destination. Pino would search each line for secrets, which
 * costs every request four times as much.
 */
export function lineLogger(log: Logger): (event: Record<string, unknown>, level?: 'info' | 'warn' | 'error') => void {
  // pino's types lack the documented symbol.
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym] as DestinationStream
  // Many lines share a millisecond, so the text is reused.
  let ms = 0
  let head = ''
  const isInfo = log.isLevelEnabled('info')
  return (event, level = 'info') => {
    if (level === 'info' ? !isInfo : !log.isLevelEnabled(level)) return
    const now = Date.now()
    if (now !== ms) {
      ms = now
      head = `"time":"${new Date(now).toISOString()}","service":"${service}",`
    }
    stream.write(`{"level":"${level}",${head}${JSON.stringify(event).slice(1)}\n`)
  }
}
