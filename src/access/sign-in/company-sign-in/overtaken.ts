/** Creations and links that another change overtakes, as at the first sign-in in several tabs on PostgreSQL. */
import { AppError, type ProblemCode } from '../../../core/errors.ts'

const overtaken: readonly ProblemCode[] = ['username_taken', 'email_taken', 'identity_taken']

/**
 * Runs a change that decides by what is stored. If another change was faster, it runs once more: the user or the identity is
 * there by then.
 */
export async function againIfOvertaken<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof AppError && overtaken.includes(error.code))) throw error
    return change()
  }
}
