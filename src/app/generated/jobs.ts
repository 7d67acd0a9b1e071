/** Made from app/features.ts by `npm run generate`. */
import { jobs as accessCredentialsChallengesJobs } from '../../access/credentials/challenges/service.ts'
import { jobs as accessCredentialsFactorsJobs } from '../../access/credentials/factors/service.ts'
import { jobs as accessCredentialsSessionsJobs } from '../../access/credentials/sessions/service.ts'
import { jobs as accessProvidersConnectionsJobs } from '../../access/providers/connections/service.ts'
import { jobs as accessSignInAccessRequestsJobs } from '../../access/sign-in/access-requests/service.ts'
import { jobs as accessSignInCliLoginJobs } from '../../access/sign-in/cli-login/service.ts'
import { jobs as accessSignInCompanySignInJobs } from '../../access/sign-in/company-sign-in/service.ts'
import { jobs as accessSignInLinksJobs } from '../../access/sign-in/links/service.ts'
import { jobs as accessSignInThrottlingJobs } from '../../access/sign-in/throttling/service.ts'
import { jobs as administrationDeletedUsersJobs } from '../../administration/deleted-users/service.ts'
import { jobs as administrationGroupsJobs } from '../../administration/groups/service.ts'
import { jobs as administrationImportsJobs } from '../../administration/imports/service.ts'
import { jobs as administrationRolesJobs } from '../../administration/roles/service.ts'
import { jobs as directoryAttributesJobs } from '../../directory/attributes/service.ts'
import { jobs as directoryOrganizationsJobs } from '../../directory/organizations/service.ts'
import { jobs as directoryProvisioningJobs } from '../../directory/provisioning/service.ts'
import { jobs as directoryUsersJobs } from '../../directory/users/service.ts'
import { jobs as operationsInactivityJobs } from '../../operations/inactivity/service.ts'
import { jobs as operationsReviewsJobs } from '../../operations/reviews/service.ts'
import { jobs as recordAuditJobs } from '../../record/audit/service.ts'
import { jobs as recordEventsJobs } from '../../record/events/service.ts'
import { jobs as recordMailsJobs } from '../../record/mails/service.ts'
import { jobs as recordRevocationsJobs } from '../../record/revocations/service.ts'
import { jobs as recordStatisticsJobs } from '../../record/statistics/service.ts'
import { jobs as recordWebhooksJobs } from '../../record/webhooks/service.ts'

export const jobs = [
  directoryUsersJobs,
  administrationDeletedUsersJobs,
  directoryAttributesJobs,
  directoryOrganizationsJobs,
  administrationGroupsJobs,
  administrationImportsJobs,
  directoryProvisioningJobs,
  accessSignInThrottlingJobs,
  accessCredentialsFactorsJobs,
  accessCredentialsChallengesJobs,
  accessCredentialsSessionsJobs,
  administrationRolesJobs,
  accessSignInCliLoginJobs,
  accessProvidersConnectionsJobs,
  accessSignInCompanySignInJobs,
  recordRevocationsJobs,
  recordWebhooksJobs,
  recordMailsJobs,
  accessSignInLinksJobs,
  accessSignInAccessRequestsJobs,
  recordEventsJobs,
  recordAuditJobs,
  operationsReviewsJobs,
  operationsInactivityJobs,
  recordStatisticsJobs,
] as const
