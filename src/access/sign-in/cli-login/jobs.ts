import type { Jobs } from '../../../store/jobs/rounds.ts'

export const jobs: Jobs = {
  deleting: [({ storage, request, everyMs }) => storage.change('cli_logins.prune', { everyMs }, request)],
}
