import { isConnectionLost, isMisconfigured, storageRefusal as postgresRefusal } from '../db/postgres/failures.ts'
import { storageRefusal as sqliteRefusal } from '../db/sqlite/failures.ts'
import { OperatorError } from '../errors.ts'

/** The command was given something it cannot take. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/**
 * What went wrong, for the operator. What the system refuses (a port in use, a directory of somebody else) explains
 * itself, and so does what a database refuses; a fault of ours needs its stack.
 */
export function explanationOf(error: unknown): string {
  // From another thread an error arrives with its name alone.
  const { name, syscall, message, stack } = error as NodeJS.ErrnoException
  if (error instanceof OperatorError || name === 'OperatorError' || syscall !== undefined) return message
  return isRefusalOfDatabase(error) ? `The database says: ${message}.` : (stack ?? String(error))
}

function isRefusalOfDatabase(error: unknown): boolean {
  if (isConnectionLost(error) || isMisconfigured(error)) return true
  return (postgresRefusal(error) ?? sqliteRefusal(error)) !== undefined
}
