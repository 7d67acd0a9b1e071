import type { Jobs } from '../../store/jobs/rounds.ts'
import { pruneMails } from './prune.ts'

export const jobs: Jobs = { deleting: [({ storage, request }) => pruneMails(storage, request)] }
