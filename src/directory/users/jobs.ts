import type { Jobs } from '../../store/jobs/rounds.ts'
import { recordDueEnds } from './ends.ts'
import { releaseManaged } from './releasing.ts'

export const jobs: Jobs = {
  /** Releases users whose provisioning connection was deleted. */
  tending: [({ storage, request }) => releaseManaged(storage, request)],
  ticking: [({ storage, request }) => recordDueEnds(storage, request)],
}
