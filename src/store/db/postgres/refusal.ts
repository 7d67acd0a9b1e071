/** What an operator has to change when a database refuses what time does not heal. */
import { misconfigured, OperatorError } from '../../../core/errors.ts'
import { isTlsFault } from './failures.ts'

/** `place` is how the database is called in messages. Only for an error of `isMisconfigured`. */
export function refusalOf(error: unknown, place: string): OperatorError {
  const { code = '', message, syscall } = error as Error & { code?: string; syscall?: string }
  const reason = message.replace(/\.+$/, '')
  // A grant is no setting: a restart after it helps.
  if (code === '42501') {
    const advice =
      'Ask an administrator of the database to grant it to the role in ROLLBOOK_DATABASE_URL (docs/postgresql.md).'
    return new OperatorError(`The role may not do this in the database ${place}: ${reason}. ${advice}`, {
      cause: error,
    })
  }
  const options = { cause: error, exitCode: misconfigured }
  if (isTlsFault(code) || syscall === 'open' || /^The server does not support SSL/.test(message)) {
    const advice =
      'Check sslmode, sslrootcert, sslcert and sslkey in ROLLBOOK_DATABASE_URL, and the certificate of the server.'
    return new OperatorError(
      `The connection to the database ${place} cannot be encrypted: ${reason}. ${advice}`,
      options,
    )
  }
  const advice =
    code === '3D000'
      ? 'Create the database, or correct its name in ROLLBOOK_DATABASE_URL.'
      : 'Correct the user and the password in ROLLBOOK_DATABASE_URL, or allow the connection in pg_hba.conf.'
  return new OperatorError(`The database ${place} refuses the connection: ${reason}. ${advice}`, options)
}
