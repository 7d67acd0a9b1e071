import { OperatorError } from '../../core/errors.ts'

/** The command was given something it cannot take. */
export class UsageError extends OperatorError {
  override name = 'UsageError'
}

/** The work failed in a way that has an exit code of its own; see exit-codes.ts. */
export class Failed extends OperatorError {
  override name = 'Failed'
  readonly exitCode: number

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
