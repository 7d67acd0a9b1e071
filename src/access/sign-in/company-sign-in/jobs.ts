import type { Jobs } from '../../../store/jobs/rounds.ts'

export const jobs: Jobs = {
  deleting: [({ storage, request, everyMs }) => storage.change('company_sign_ins.prune', { everyMs }, request)],
}
