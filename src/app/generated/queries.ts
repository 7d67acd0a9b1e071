/** Made from app/features.ts by `npm run generate`. */
import { queries as accessSignInFactorPolicyQueries } from '../../access/sign-in/factor-policy/service.ts'
import { queries as administrationRolesQueries } from '../../administration/roles/service.ts'
import {
  queries as administrationUsersListQueries,
  streams as administrationUsersListStreams,
} from '../../administration/users-list/service.ts'
import { streams as operationsAccessReportStreams } from '../../operations/access-report/service.ts'
import { queries as operationsInactivityQueries } from '../../operations/inactivity/service.ts'
import { streams as operationsReviewsStreams } from '../../operations/reviews/service.ts'
import { queries as recordAuditQueries } from '../../record/audit/service.ts'
import { queries as recordStatisticsQueries } from '../../record/statistics/service.ts'
import { queries as scimQueries } from '../../scim/service.ts'

export const queries = {
  ...administrationUsersListQueries,
  ...accessSignInFactorPolicyQueries,
  ...administrationRolesQueries,
  ...recordAuditQueries,
  ...operationsInactivityQueries,
  ...recordStatisticsQueries,
  ...scimQueries,
}

export const streams = {
  ...administrationUsersListStreams,
  ...operationsAccessReportStreams,
  ...operationsReviewsStreams,
}
