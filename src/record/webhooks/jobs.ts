import type { Jobs } from '../../store/jobs/rounds.ts'
import { pruneDeliveries } from './dispatch-prune.ts'

export const jobs: Jobs = { deleting: [({ storage, request }) => pruneDeliveries(storage, request)] }
