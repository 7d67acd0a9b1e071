/** Refusals in the words of the sign-in pages: what a user can do about them. */
import { AppError, type InputFault } from '../../core/errors.ts'
import { duration } from './duration.ts'
import type { Message, PasswordFaults } from './pages.ts'

export const nothingEntered: Message = {
  title: 'Something is missing.',
  detail: 'Enter your username and your password.',
}

/** Returns what to show next to the form when a sign-in is refused; undefined if the user cannot fix it there. */
export function signInFault(error: unknown): Message | undefined {
  if (!(error instanceof AppError)) return undefined
  if (error.code === 'sign_in_failed') {
    // One text for all: it reveals neither which users exist, nor which are disabled or locked.
    const detail = 'Check the username and the password. If it keeps failing, ask an administrator.'
    return { title: 'The sign-in failed.', detail }
  }
  return busyFault(error)
}

/** Returns what to show next to the field when the second step is refused. */
export function secondStepFault(error: AppError): Message | undefined {
  if (error.code === 'current_password_wrong') {
    return { title: 'The password is wrong.', detail: 'Enter your current password.', at: 'password' }
  }
  if (error.code === 'second_factor_failed' || error.code === 'confirmation_failed') {
    const detail = 'Enter the code that the app shows now. Each code works once.'
    return { title: 'The code was not accepted.', detail, at: 'code' }
  }
  return signInFault(error)
}

export const stepExpired: Message = {
  title: 'That took too long, or too many codes were wrong.',
  detail: 'Enter your username and your password again.',
}

/** Refusals that pass after a while. */
export function busyFault({ code, headers }: AppError): Message | undefined {
  const wait = duration(Number(headers['retry-after'] ?? 1))
  if (code === 'too_many_attempts' || code === 'rate_limited') {
    return { title: 'Too many attempts.', detail: `Wait ${wait}, then try again.` }
  }
  if (code !== 'overloaded') return undefined
  return { title: 'Too many people are signing in at once.', detail: `Wait ${wait}, then try again.` }
}

/** Returns what to show at which field when a change of password is refused. */
export function changeFaults(error: unknown): PasswordFaults | undefined {
  if (!(error instanceof AppError)) return undefined
  if (error.code === 'current_password_wrong') return { current: 'This is not your current password.' }
  if (error.code === 'validation_failed') return atFields(error.errors ?? [])
  const message = busyFault(error)
  return message && { message }
}

function atFields(errors: readonly InputFault[]): PasswordFaults | undefined {
  const [fault] = errors
  if (fault?.pointer === '#/current_password') return { current: fault.detail }
  return fault?.pointer === '#/new_password' ? { chosen: fault.detail } : undefined
}

/** The page that replaces a problem document. */
export function pageWords({ code, title, detail, status }: Problem, retryAfter: unknown): Message {
  if (code === 'cross_origin') {
    return {
      title: 'This form came from another site',
      detail: 'Open the sign-in page yourself, and try again there.',
    }
  }
  if (status === 429 || status === 503) {
    const again = `Wait ${duration(Number(retryAfter ?? 1))}, then try again.`
    return { title: status === 429 ? 'Too many requests' : 'The service is not available right now', detail: again }
  }
  return { title, detail: status >= 500 ? 'The error was logged.' : detail }
}

type Problem = { code: string; title: string; detail: string; status: number }
