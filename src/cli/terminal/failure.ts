import { OperatorError } from '../../core/errors.ts'
import { exitCodes } from './exit-codes.ts'

/** The arguments, options or input of a command are invalid. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/** The command failed with its own exit code; see exit-codes.ts. */
export class Failed extends OperatorError {
  override name = 'Failed'

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, { ...options, exitCode })
  }
}

/** The failure of a command that was given a name nothing has; `list` is the command that shows the names. */
export function notFound(what: string, text: string, list: string): Failed {
  return new Failed(`There is no ${what} ${text}. rollbook ${list} shows all.`, exitCodes.notFound)
}
