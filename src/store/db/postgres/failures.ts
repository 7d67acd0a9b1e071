/** The meaning of `pg` errors: whether to retry, and what to report to the caller. */
import { AppError } from '../../../core/errors.ts'

type PgError = Error & { code?: string; severity?: string }

/**
 * SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) after which a retry may succeed: the
 * server is starting, stopping, has too many connections, or is no longer the primary.
 */
const passing = ['57P01', '57P02', '57P03', '57P05', '53300', '25006', '25P03']
const systemCalls = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'ECONNABORTED',
  'EADDRNOTAVAIL',
  'EMFILE',
  'EPROTO',
]
/** `pg` reports a lost connection only by its message. */
const lostWords =
  /^(Connection terminated|timeout expired|Client has encountered a connection error|Client was closed|Query read timeout|timeout exceeded when trying to connect|The server does not support SSL|There was an error establishing an SSL connection)/

/** The connection is lost or unusable; whether a pending statement ran is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const { code = '', severity, message = '' } = error as PgError
  return (
    error instanceof NotPrimary ||
    passing.includes(code) ||
    /^08/.test(code) ||
    severity === 'FATAL' ||
    severity === 'PANIC' ||
    systemCalls.includes(code) ||
    isTlsFault(code) ||
    (code === '' && lostWords.test(message))
  )
}

/** No server responded at all; a server that refuses has a SQLSTATE code. */
export function isUnreachable(error: unknown): boolean {
  const { code = '' } = error as PgError
  return isConnectionLost(error) && !isPoolExhausted(error) && (code === '' || systemCalls.includes(code))
}

/** All connections stayed in use for the whole waiting time. */
export function isPoolExhausted(error: unknown): boolean {
  return /^timeout exceeded when trying to connect/.test((error as Error).message)
}

/**
 * Errors that time does not heal: a wrong user, password or database (class 28, 3D000), a missing right (42501), an
 * invalid certificate, or a certificate file that cannot be read.
 */
export function isMisconfigured(error: unknown): boolean {
  const { code = '', message, syscall } = error as PgError & { syscall?: string }
  return (
    /^(28...|3D000|42501)$/.test(code) ||
    isTlsFault(code) ||
    /^(The server does not support SSL|SASL: )/.test(message) ||
    syscall === 'open'
  )
}

/** A certificate that expired, or belongs to another host. */
export function isTlsFault(code: string): boolean {
  return /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/.test(code)
}

/** A lock was not granted in time. */
export function isLockTimeout(error: unknown): boolean {
  return (error as PgError).code === '55P03'
}

/** An earlier pipelined statement failed, and with it the transaction. */
export function isAborted(error: unknown): boolean {
  return (error as { code?: string }).code === '25P02' // in_failed_sql_transaction
}

/** Two transactions conflicted; this one had no effect (40001 serialization failure, 40P01 deadlock). */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes((error as PgError).code ?? '')
}

export function isBrokenUniqueness(error: unknown): boolean {
  return (error as PgError).code === '23505'
}

/** The server that responded is only a standby. */
export class NotPrimary extends Error {
  override name = 'NotPrimary'
}

/** Returns the refusal that callers see for a fault of the database; nothing was changed. */
export function storageRefusal(error: unknown): AppError | undefined {
  if (isPoolExhausted(error)) {
    return new AppError('overloaded', 'All connections to the database are in use; nothing was changed. Try again.', {
      cause: error,
    })
  }
  if (isConflict(error)) {
    return new AppError('overloaded', 'Too many conflicting changes at once; nothing was changed. Try again.', {
      cause: error,
    })
  }
  if (isConnectionLost(error)) {
    return new AppError('storage_unavailable', 'The database cannot be reached; nothing was changed. Try again.', {
      retryAfterSeconds: 2,
      cause: error,
    })
  }
  switch ((error as PgError).code) {
    case 'XX001': // data_corrupted
    case 'XX002': // index_corrupted
      return new AppError(
        'storage_damaged',
        'The database is damaged; nothing was changed. The operator must repair or restore it.',
        {
          cause: error,
        },
      )
    case '53100': // disk_full
      return new AppError(
        'storage_full',
        'The disk of the database is full; nothing was changed. The operator must make room.',
        {
          retryAfterSeconds: 30,
          cause: error,
        },
      )
    case '55P03': // lock_not_available
    case '57014': // query_canceled, by statement_timeout
      return new AppError('overloaded', 'The database took too long; nothing was changed. Try again.', { cause: error })
    case '3F000': // invalid_schema_name
    case '42P01': // undefined_table: the schema is being restored, or was dropped
    case '26000': // invalid_sql_statement_name
    case '53200': // out_of_memory
    case '53400': // configuration_limit_exceeded
    case '58030': // io_error
      return new AppError('storage_unavailable', 'The database failed; nothing was changed. Try again.', {
        retryAfterSeconds: 5,
        cause: error,
      })
    default:
      return undefined
  }
}
