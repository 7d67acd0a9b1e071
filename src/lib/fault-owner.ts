/**
 * Finds out whose an error is that no promise carries: one thrown by a listener or a timer. If it belongs to one connection, only
 * that one has to end (docs/decisions/0156-errors-outside-of-promises.md).
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export type FaultOwner = {
  /** Names it in the log. */
  what: string
  /** Ends it. Called with each error that is its own. */
  end(error: Error): void
}

const owners = new AsyncLocalStorage<FaultOwner | undefined>()

/** Runs the work; the listeners and timers that it adds belong to the owner. */
export function ownFaults<T>(owner: FaultOwner, work: () => T): T {
  return owners.run(owner, work)
}

/** Runs work for several connections, such as a batch: an error in it is of none of them. */
export function shareFaults<T>(work: () => T): T {
  return owners.run(undefined, work)
}

/** Returns the owner of the error that was thrown just now, for `uncaughtException` handlers. */
export function currentOwner(): FaultOwner | undefined {
  return owners.getStore()
}
