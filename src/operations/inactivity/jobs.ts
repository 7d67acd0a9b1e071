import type { Jobs } from '../../store/jobs/rounds.ts'
import { runInactivity } from './run.ts'

export const jobs: Jobs = {
  /** Not after a jump of the clock: everyone would seem to be inactive. */
  deleting: [runInactivity],
}
