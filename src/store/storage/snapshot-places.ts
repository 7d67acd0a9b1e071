import { AppError } from '../../core/errors.ts'

export type SnapshotLoad = { open: number; waiting: number; places: number; refused: number }

export type SnapshotPlaces = {
  /** Answers how to give the place back. @throws AppError `too_many_snapshots` when none came free in time */
  acquire(caller: string): Promise<() => void>
  load(): SnapshotLoad
}

type Waiting = { caller: string; start: () => void }

/** How long a list waits for a place. Small lists finish quickly. */
const placeMs = 2000
const waitingLimit = 256

/**
 * Places for open snapshots: `total` of them, of which one caller holds half at most. A caller that finds none free waits a moment
 * in turn.
 */
export function snapshotPlaces(total: number): SnapshotPlaces {
  const share = Math.ceil(total / 2)
  const heldBy = new Map<string, number>()
  let held = 0
  let refused = 0
  let waiting: Waiting[] = []

  const isFree = (caller: string) => held < total && (heldBy.get(caller) ?? 0) < share

  function occupy(caller: string): () => void {
    held++
    heldBy.set(caller, (heldBy.get(caller) ?? 0) + 1)
    return () => {
      held--
      const left = (heldBy.get(caller) ?? 0) - 1
      if (left > 0) heldBy.set(caller, left)
      else heldBy.delete(caller)
      const next = waiting.find((one) => isFree(one.caller))
      if (next === undefined) return
      waiting = waiting.filter((one) => one !== next)
      next.start()
    }
  }

  const refusal = () => {
    refused++
    const detail = `Too many whole lists are being streamed: at most ${total} at once, ${share} for one credential. Read pages with ?limit=, or try again.`
    return new AppError('too_many_snapshots', detail, { retryAfterSeconds: 5 })
  }

  return {
    load: () => ({ open: held, waiting: waiting.length, places: total, refused }),
    acquire: (caller) =>
      new Promise((resolve, reject) => {
        if (isFree(caller)) {
          resolve(occupy(caller))
          return
        }
        if (waiting.length >= waitingLimit) {
          reject(refusal())
          return
        }
        const deadline = setTimeout(() => {
          waiting = waiting.filter((other) => other !== one)
          reject(refusal())
        }, placeMs)
        const one = {
          caller,
          start() {
            clearTimeout(deadline)
            resolve(occupy(caller))
          },
        }
        waiting.push(one)
      }),
  }
}
