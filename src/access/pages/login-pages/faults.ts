/** Refusals in the words of the sign-in pages: what a user can do about them. */
import { AppError, type InputFault, type ProblemCode } from '../../../core/errors.ts'
import type { Text } from '../../../lib/html.ts'
import type { Texts } from '../page-texts/service.ts'
import type { Message, PasswordFaults } from './views/pages.ts'

export function nothingEntered({ page, signIn }: Texts): Message {
  return { title: page.missing, detail: signIn.nothingEntered }
}

/** Returns what to show next to the form when a sign-in is refused; undefined if the user cannot fix it there. */
export function signInFault(t: Texts, error: unknown): Message | undefined {
  if (!(error instanceof AppError)) return undefined
  // One text for all: it reveals neither which users exist, nor which are disabled or locked.
  return error.code === 'sign_in_failed' ? t.signIn.failed : busyFault(t, error)
}

/** Returns what to show next to the field when the second step is refused. */
export function secondStepFault(t: Texts, error: AppError, proof: object | undefined): Message | undefined {
  if (error.code === 'current_password_wrong') return { ...t.confirm.passwordWrong, at: 'password' }
  if (error.code === 'second_factor_failed' || error.code === 'confirmation_failed') {
    const isRecovery = proof !== undefined && 'recovery_code' in proof
    return isRecovery ? { ...t.confirm.recoveryCodeWrong, at: 'recovery-code' } : { ...t.confirm.codeWrong, at: 'code' }
  }
  if (error.code === 'password_refused') return t.links.needNoPassword
  if (error.code === 'secret_unreadable') return { ...t.problems.secret_unreadable, at: 'code' }
  return signInFault(t, error)
}

/** The same for a wrong code and for a code that was never sent. */
export function emailCodeFault(t: Texts, error: AppError): Message | undefined {
  return error.code === 'sign_in_failed' ? { ...t.emailCode.wrong, at: 'code' } : busyFault(t, error)
}

/** Refusals that pass after a while. */
export function busyFault({ page, signIn }: Texts, { code, headers }: AppError): Message | undefined {
  const detail = page.wait(Number(headers['retry-after'] ?? 1))
  if (code === 'too_many_attempts' || code === 'rate_limited') return { title: signIn.tooManyAttempts, detail }
  return code === 'overloaded' ? { title: signIn.tooManyPeople, detail } : undefined
}

/** The refusal and what to show of it. @throws what is no refusal that passes after a while */
export function busyRefusal(t: Texts, error: unknown): { refusal: AppError; fault: Message } {
  const fault = error instanceof AppError ? busyFault(t, error) : undefined
  if (fault === undefined) throw error
  return { refusal: error as AppError, fault }
}

export function noCode({ page, confirm }: Texts, methods: readonly string[]): Message {
  return { title: page.missing, detail: confirm.codeMissing, at: methods.includes('totp') ? 'code' : 'recovery-code' }
}

/** Returns what to show at which field when a change of password is refused. */
export function changeFaults(t: Texts, error: unknown): PasswordFaults | undefined {
  if (!(error instanceof AppError)) return undefined
  if (error.code === 'current_password_wrong') return { current: t.changePassword.currentWrong }
  if (error.code === 'validation_failed') return atFields(t, error.errors ?? [])
  const message = error.code === 'password_refused' ? t.links.needNoPassword : busyFault(t, error)
  return message && { message }
}

function atFields(t: Texts, [fault]: readonly InputFault[]): PasswordFaults | undefined {
  if (fault?.pointer === '#/current_password') return { current: t.changePassword.currentWrong }
  return fault?.pointer === '#/new_password' ? { chosen: passwordFault(t, fault) } : undefined
}

export function passwordFault({ passwordFaults }: Texts, { code }: InputFault): Text {
  return Object.hasOwn(passwordFaults, code)
    ? passwordFaults[code as keyof typeof passwordFaults]
    : passwordFaults.other
}

/** The page that replaces a problem document. */
export function pageWords({ page, problems }: Texts, { code, status }: Problem, retryAfter: unknown): Message {
  // Waiting does not help.
  if (code === 'secret_unreadable') return problems.internal_error
  if (status === 429 || status === 503) {
    const { title } = status === 429 ? problems.too_many_requests : problems.unavailable
    return { title, detail: page.wait(Number(retryAfter ?? 1)) }
  }
  if (status >= 500) return problems.internal_error
  // A part that is switched off is no page.
  if (code === 'not_enabled') return problems.not_found
  return isWorded(problems, code) ? problems[code] : problems.other
}

type Worded = Extract<ProblemCode, keyof Texts['problems']>

function isWorded(problems: Texts['problems'], code: string): code is Worded {
  return Object.hasOwn(problems, code)
}

type Problem = { code: string; status: number }
