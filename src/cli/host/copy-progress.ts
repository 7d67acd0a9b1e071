import { megabytes } from '../../lib/amounts.ts'
import type { CopyOptions } from '../../operations/move/service.ts'
import { showProgress } from '../terminal/progress.ts'

/** Shows the progress of a copy. `end` removes the bar. */
export function showCopy(signal: AbortSignal): CopyOptions & { end(): void } {
  const progress = showProgress({ label: 'Copying', format: megabytes })
  return {
    signal,
    onProgress: progress.update,
    onChecking() {
      progress.end()
      process.stderr.write('Checking the copy…\n')
    },
    end: progress.end,
  }
}
