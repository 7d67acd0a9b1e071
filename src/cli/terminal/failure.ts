import { OperatorError } from '../../core/errors.ts'

/** The arguments, options or input of a command are invalid. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/** The command failed with its own exit code; see exit-codes.ts. */
export class Failed extends OperatorError {
  override name = 'Failed'
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
