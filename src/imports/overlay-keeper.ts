import { AppError } from '../errors.ts'
import { type Overlay, openOverlay } from './overlay.ts'

/** What dry runs have left so far, kept between the parts of a file; after that they have to begin anew. */
export type OverlayKeeper = {
  /** With how many rows it holds. @throws AppError `import_busy`, `overloaded` */
  take(jobId: string): { overlay: Overlay; rows: number }
  giveBack(jobId: string, after: { rows: number; isOver: boolean }): void
  close(): void
}

type Kept = { overlay: Overlay; rows: number; isTaken: boolean; timer?: NodeJS.Timeout }

const keptMs = 10 * 60_000
/** Each may hold a file of users on the disk. */
const atOnce = 8

export function overlayKeeper(): OverlayKeeper {
  const kept = new Map<string, Kept>()
  const drop = (jobId: string) => {
    const one = kept.get(jobId)
    clearTimeout(one?.timer)
    one?.overlay.close()
    kept.delete(jobId)
  }
  return {
    take(jobId) {
      const known = kept.get(jobId)
      if (known?.isTaken) {
        throw new AppError('import_busy', 'Somebody else sends this import at the same time; only one may.', {
          retryAfterSeconds: 5,
        })
      }
      if (known === undefined && kept.size >= atOnce) dropIdle()
      const one = known ?? { overlay: openOverlay(), rows: 0, isTaken: true }
      clearTimeout(one.timer)
      one.isTaken = true
      kept.set(jobId, one)
      return one
    },
    giveBack(jobId, { rows, isOver }) {
      const one = kept.get(jobId)
      if (one === undefined) return
      if (isOver) {
        drop(jobId)
        return
      }
      one.isTaken = false
      one.rows = rows
      one.timer = setTimeout(() => drop(jobId), keptMs)
      one.timer.unref()
    },
    close() {
      for (const jobId of kept.keys()) drop(jobId)
    },
  }

  function dropIdle(): void {
    const [idle] = [...kept].find(([, { isTaken }]) => !isTaken) ?? []
    if (idle === undefined) {
      throw new AppError('overloaded', 'Too many dry runs of imports are under way; try again in a moment.')
    }
    drop(idle)
  }
}
