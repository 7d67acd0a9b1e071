import type { Jobs } from '../../store/jobs/rounds.ts'

export const jobs: Jobs = {
  deleting: [({ storage, request }) => storage.change('provisioning.prune_rejections', undefined, request)],
}
