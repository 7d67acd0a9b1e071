import type { Jobs } from '../../store/jobs/rounds.ts'
import { recordDueEnds } from './end-dates/end-dates.ts'
import { noticeEnds } from './end-dates/notices.ts'
import { releaseManaged } from './releasing.ts'

export const jobs: Jobs = {
  /** Releases users whose provisioning connection was deleted. */
  tending: [({ storage, request }) => releaseManaged(storage, request)],
  /** Not after a jump of the clock: everyone would be told that their access ends. */
  deleting: [({ storage, request }) => noticeEnds(storage, request)],
  ticking: [({ storage, request }) => recordDueEnds(storage, request)],
}
