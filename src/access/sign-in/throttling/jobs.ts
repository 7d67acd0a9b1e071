import type { Jobs } from '../../../store/jobs/rounds.ts'

export const jobs: Jobs = {
  deleting: [({ storage, request, everyMs }) => storage.change('throttles.prune', { everyMs }, request)],
}
