/**
 * Chooses the servers of a directory, in order. A server that has failed three times in a row is skipped for half a
 * minute; then one request tries it, while the others still skip it.
 */
import { LdapFailure } from './failure.ts'

const failuresToOpen = 3
const openMs = 30_000

type State = { failures: number; retryAt: number }

type Breaker = {
  /**
   * Tries the servers in turn, until one answers. Only `directory_unreachable` counts as no answer.
   *
   * @throws LdapFailure `directory_unreachable` if none does; immediately if all of them are left alone
   */
  first<T>(send: (url: string) => Promise<T>, signal: AbortSignal): Promise<T>
}

export function createBreaker(urls: readonly string[], clock: () => number): Breaker {
  const states = new Map<string, State>()

  function mayTry(url: string): boolean {
    const state = states.get(url)
    if (state === undefined || state.failures < failuresToOpen) return true
    if (clock() < state.retryAt) return false
    // Other requests skip it until this try is over.
    state.retryAt = clock() + openMs
    return true
  }

  function failed(url: string): void {
    const failures = (states.get(url)?.failures ?? 0) + 1
    states.set(url, { failures, retryAt: clock() + openMs })
  }

  return {
    async first(send, signal) {
      let last: LdapFailure | undefined
      for (const url of urls) {
        if (signal.aborted || !mayTry(url)) continue
        try {
          const result = await send(url)
          states.delete(url)
          return result
        } catch (error) {
          if (!isUnreachable(error)) {
            states.delete(url)
            throw error
          }
          failed(url)
          last = error
        }
      }
      throw last ?? new LdapFailure('directory_unreachable', allLeftAlone)
    },
  }
}

const allLeftAlone = 'No server of the directory has responded lately. They are tried again within half a minute.'

function isUnreachable(error: unknown): error is LdapFailure {
  return error instanceof LdapFailure && error.reason === 'directory_unreachable'
}
