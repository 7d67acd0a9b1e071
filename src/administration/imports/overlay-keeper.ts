import { AppError } from '../../core/errors.ts'
import { type Overlay, openOverlay } from './overlay.ts'

/** Keeps the overlays of dry runs between the parts of a file; a dry run without its overlay starts over. */
type OverlayKeeper = {
  /** @throws AppError `import_busy`, `overloaded` */
  overlayOf(jobId: string): Overlay
  giveBack(jobId: string): void
  /** For a dry run that is finished, or starts over. */
  drop(jobId: string): void
  close(): void
}

type Kept = { overlay: Overlay; isTaken: boolean; timer?: NodeJS.Timeout }

const keptMs = 10 * 60_000
/** Each may hold a file of users on the disk. */
const atOnce = 8

export function overlayKeeper(): OverlayKeeper {
  const overlays = new Map<string, Kept>()

  function drop(jobId: string): void {
    const one = overlays.get(jobId)
    clearTimeout(one?.timer)
    one?.overlay.close()
    overlays.delete(jobId)
  }

  function dropIdle(): void {
    const [idle] = [...overlays].find(([, { isTaken }]) => !isTaken) ?? []
    if (idle === undefined) {
      throw new AppError('overloaded', 'Too many dry runs of imports are running. Try again in a moment.')
    }
    drop(idle)
  }

  return {
    overlayOf(jobId) {
      const known = overlays.get(jobId)
      if (known?.isTaken) {
        throw new AppError(
          'import_busy',
          'Another request is sending this import right now. Wait until it has ended.',
          {
            retryAfterSeconds: 5,
          },
        )
      }
      if (known === undefined && overlays.size >= atOnce) dropIdle()
      const { overlay, timer } = known ?? { overlay: openOverlay() }
      clearTimeout(timer)
      overlays.set(jobId, { overlay, isTaken: true })
      return overlay
    },
    giveBack(jobId) {
      const one = overlays.get(jobId)
      if (one === undefined) return
      one.isTaken = false
      one.timer = setTimeout(() => drop(jobId), keptMs)
      one.timer.unref()
    },
    drop,
    close() {
      for (const jobId of [...overlays.keys()]) drop(jobId)
    },
  }
}
