import type { Jobs } from '../../store/jobs/rounds.ts'
import { continueReplacements } from './replacement.ts'

export const jobs: Jobs = { tending: [({ storage, request }) => continueReplacements(storage, request.now)] }
