import type { Jobs } from '../../store/jobs/rounds.ts'
import { refreshSearchTexts } from './search-texts.ts'

export const jobs: Jobs = { tending: [({ storage, request }) => refreshSearchTexts(storage, request.now)] }
