import type { Jobs } from '../../store/jobs/rounds.ts'

const hourMs = 3_600_000

export const jobs: Jobs = {
  deleting: [({ storage, request }) => storage.change('statistics.tidy', { everyMs: hourMs }, request)],
}
