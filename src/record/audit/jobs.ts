import type { Jobs } from '../../store/jobs/rounds.ts'
import { pruneAudit } from './retention.ts'

export const jobs: Jobs = {
  deleting: [({ storage, config, request }) => pruneAudit(storage, config.auditDays, request)],
}
