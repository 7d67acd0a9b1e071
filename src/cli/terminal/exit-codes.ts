import { misconfigured } from '../../core/errors.ts'

/** Exit codes. Scripts rely on these numbers; `rollbook help exit-codes` explains them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAuthorized: 4,
  conflict: 5,
  someRowsFailed: 6,
  unreachable: 7,
  misconfigured,
  interrupted: 130,
} as const

const ofStatus: Partial<Record<number, number>> = {
  401: exitCodes.notAuthorized,
  403: exitCodes.notAuthorized,
  404: exitCodes.notFound,
  409: exitCodes.conflict,
  410: exitCodes.notFound,
  412: exitCodes.conflict,
  428: exitCodes.conflict,
  502: exitCodes.unreachable,
  503: exitCodes.unreachable,
  504: exitCodes.unreachable,
}

/** Returns the exit code for an error. Compares names, because some commands do not load the client's classes. */
export function exitCodeOf(error: unknown): number {
  const { name, exitCode, status = 0, code } = error as Error & { exitCode?: unknown; status?: number; code?: string }
  if (typeof exitCode === 'number') return exitCode
  switch (name) {
    case 'UsageError':
      return exitCodes.usage
    case 'ConnectionError':
    case 'IncompleteStreamError':
      return exitCodes.unreachable
    case 'RollbookError':
    case 'AppError':
      if (name === 'AppError' && code === 'secret_unreadable') return exitCodes.misconfigured
      // An unknown path says nothing about the user or key: exit code 3 would make scripts create it.
      return code === 'not_found' || code === 'not_enabled' ? exitCodes.failed : (ofStatus[status] ?? exitCodes.failed)
    case 'UnexpectedAnswerError':
      // The status is from a proxy, so only "unreachable" is reported as such.
      return status >= 500 ? (ofStatus[status] ?? exitCodes.failed) : exitCodes.failed
    default:
      return exitCodes.failed
  }
}
