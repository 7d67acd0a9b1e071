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
  const { name, exitCode, status } = error as Error & { exitCode?: unknown; status?: number }
  if (typeof exitCode === 'number') return exitCode
  switch (name) {
    case 'UsageError':
      return exitCodes.usage
    case 'ConnectionError':
    case 'IncompleteStreamError':
      return exitCodes.unreachable
    case 'RollbookError':
    case 'UnexpectedAnswerError':
    case 'AppError':
      return ofStatus[status ?? 0] ?? exitCodes.failed
    default:
      return exitCodes.failed
  }
}
