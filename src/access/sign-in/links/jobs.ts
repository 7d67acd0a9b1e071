import type { Jobs } from '../../../store/jobs/rounds.ts'

export const jobs: Jobs = {
  deleting: [({ storage, request }) => storage.change('password_resets.prune', undefined, request)],
}
