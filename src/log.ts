import pino, { type DestinationStream, type Logger } from 'pino'

/**
 * The log: one JSON line an event on standard output, written in the background. Secrets are not put into it in the
 * first place; the paths here are the second line of defence.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      formatters: { level: (label) => ({ level: label }) },
      base: { service: 'rollbook' },
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
        ],
        censor: '[redacted]',
      },
    },
    destination ?? pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 500 }),
  )
}
