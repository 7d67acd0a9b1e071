/** Lets one search of a connection run at a time, if no index serves it (docs/decisions/0053-scim-modules.md, 0192). */
import { AppError } from '../../core/errors.ts'
import { takeTurns } from '../../store/postgres/turns.ts'

/** How many more of its searches may wait: clients send some requests in parallel. */
const mostWaiting = 3
const retryAfterSeconds = 2

type Caller = { caller: string; signal?: AbortSignal }

export function searchTurns() {
  const inTurn = takeTurns(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1)
  const searchesOf = new Map<string, number>()

  /** @throws AppError `rate_limited` */
  return async <T>(caller: Caller, work: () => Promise<T>): Promise<T> => {
    const searches = searchesOf.get(caller.caller) ?? 0
    if (searches > mostWaiting) {
      const detail = `This connection has ${searches} searches that no index serves, which run one at a time. Wait for them.`
      throw new AppError('rate_limited', detail, { retryAfterSeconds })
    }
    searchesOf.set(caller.caller, searches + 1)
    try {
      return await inTurn(caller, work)
    } finally {
      const left = (searchesOf.get(caller.caller) ?? 1) - 1
      if (left > 0) searchesOf.set(caller.caller, left)
      else searchesOf.delete(caller.caller)
    }
  }
}
