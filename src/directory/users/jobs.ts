import type { Jobs } from '../../store/jobs/rounds.ts'
import { releaseManaged } from './releasing.ts'

/** Releases users whose provisioning connection was deleted. */
export const jobs: Jobs = { tending: [({ storage, request }) => releaseManaged(storage, request)] }
