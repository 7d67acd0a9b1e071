import type { Jobs } from '../../../store/jobs/rounds.ts'

const hourMs = 3_600_000

export const jobs: Jobs = {
  tending: [
    ({ storage, request }) =>
      storage.change('sign_in_connections.announce_certificates', { everyMs: 24 * hourMs }, request),
  ],
  deleting: [({ storage, request }) => storage.change('sign_in_connections.prune', { everyMs: hourMs }, request)],
}
