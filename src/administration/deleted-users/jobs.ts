import type { Jobs } from '../../store/jobs/rounds.ts'
import { eraseRound } from './eraser.ts'

/** Requested erasures continue, whatever the clock says. */
export const jobs: Jobs = {
  tending: [
    ({ storage, request, everyMs, mayDelete }) => eraseRound(storage, request.now, everyMs, { mayBegin: mayDelete }),
  ],
}
