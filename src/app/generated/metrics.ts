/** Made from app/features.ts by `npm run generate`. */
import { metrics as accessCredentialsKeysMetrics } from '../../access/credentials/keys/service.ts'
import { metrics as accessSignInDirectorySyncMetrics } from '../../access/sign-in/directory-sync/service.ts'
import { metrics as administrationGroupsMetrics } from '../../administration/groups/service.ts'
import { metrics as operationsInactivityMetrics } from '../../operations/inactivity/service.ts'
import { metrics as recordMailsMetrics } from '../../record/mails/service.ts'
import { metrics as recordStatisticsMetrics } from '../../record/statistics/service.ts'
import { metrics as recordWebhooksMetrics } from '../../record/webhooks/service.ts'

export const metrics = [
  administrationGroupsMetrics,
  accessCredentialsKeysMetrics,
  accessSignInDirectorySyncMetrics,
  recordWebhooksMetrics,
  recordMailsMetrics,
  operationsInactivityMetrics,
  recordStatisticsMetrics,
] as const
