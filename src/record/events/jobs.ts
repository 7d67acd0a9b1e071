import type { Jobs } from '../../store/jobs/rounds.ts'
import { compactEvents } from './compact.ts'

export const jobs: Jobs = {
  deleting: [({ storage, config, request }) => compactEvents(storage, config.eventsDays, request)],
}
