import type { Jobs } from '../../../store/jobs/rounds.ts'
import { pruneRequests } from './retention.ts'

export const jobs: Jobs = { deleting: [({ storage, request }) => pruneRequests(storage, request)] }
