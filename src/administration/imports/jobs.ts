import { timestamp } from '../../lib/instant.ts'
import type { Jobs } from '../../store/jobs/rounds.ts'

/** How long the outcome of an import's rows can be looked up. */
const importsMs = 30 * 24 * 3_600_000

export const jobs: Jobs = {
  deleting: [
    ({ storage, request, everyMs }) =>
      storage.change('imports.prune', { before: timestamp(request.now - importsMs), everyMs }, request),
  ],
}
