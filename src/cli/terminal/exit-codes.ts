/** What the exit code says. A script can rely on these numbers; `rollbook help exit-codes` lists them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAuthorized: 4,
  conflict: 5,
  someRowsFailed: 6,
  unreachable: 7,
  /** `EX_CONFIG` of sysexits.h: starting again without another setting is of no use. */
  misconfigured: 78,
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

/** By their names: the classes of the client are not loaded for commands that have no use for it. */
export function exitCodeOf(error: unknown): number {
  const { name, exitCode, status = 0, code } = error as Error & { exitCode?: unknown; status?: number; code?: string }
  if (typeof exitCode === 'number') return exitCode
  switch (name) {
    case 'ConfigError':
      return exitCodes.misconfigured
    case 'UsageError':
      return exitCodes.usage
    case 'ConnectionError':
    case 'IncompleteStreamError':
      return exitCodes.unreachable
    case 'RollbookError':
    case 'AppError':
      // A path that is none says nothing of the user, key … that was meant: scripts create who is not found.
      return code === 'not_found' ? exitCodes.failed : (ofStatus[status] ?? exitCodes.failed)
    case 'UnexpectedAnswerError':
      // What a proxy says is its own affair; only that it does not get through is ours as well.
      return status >= 500 ? (ofStatus[status] ?? exitCodes.failed) : exitCodes.failed
    default:
      return exitCodes.failed
  }
}
