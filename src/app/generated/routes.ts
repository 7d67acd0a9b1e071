/** Made from app/features.ts by `npm run generate`. */
import { routes as accessCredentialsFactorsRoutes } from '../../access/credentials/factors/routes.ts'
import { routes as accessCredentialsKeysRoutes } from '../../access/credentials/keys/routes.ts'
import { routes as accessCredentialsSessionsRoutes } from '../../access/credentials/sessions/routes.ts'
import { routes as accessCredentialsTokensRoutes } from '../../access/credentials/tokens/routes.ts'
import { routes as accessCredentialsWellKnownRoutes } from '../../access/credentials/well-known/routes.ts'
import { routes as accessPagesAccountRoutes } from '../../access/pages/account/routes.ts'
import { routes as accessPagesBrandingRoutes } from '../../access/pages/branding/routes.ts'
import { routes as accessPagesForwardAuthRoutes } from '../../access/pages/forward-auth/routes.ts'
import { routes as accessPagesLoginPagesRoutes } from '../../access/pages/login-pages/routes.ts'
import { routes as accessPagesMeRoutes } from '../../access/pages/me/routes.ts'
import { routes as accessPagesSetupLinksRoutes } from '../../access/pages/setup-links/routes.ts'
import { routes as accessProvidersConnectionsRoutes } from '../../access/providers/connections/routes.ts'
import { routes as accessProvidersProvisioningRoutes } from '../../access/providers/provisioning/routes.ts'
import { routes as accessProvidersSamlRoutes } from '../../access/providers/saml/routes.ts'
import { routes as accessSignInAccessRequestsRoutes } from '../../access/sign-in/access-requests/routes.ts'
import { routes as accessSignInCliLoginRoutes } from '../../access/sign-in/cli-login/routes.ts'
import { routes as accessSignInCompanySignInRoutes } from '../../access/sign-in/company-sign-in/routes.ts'
import { routes as accessSignInDirectorySyncRoutes } from '../../access/sign-in/directory-sync/routes.ts'
import { routes as accessSignInEmailCodeRoutes } from '../../access/sign-in/email-code/routes.ts'
import { routes as accessSignInFactorPolicyRoutes } from '../../access/sign-in/factor-policy/routes.ts'
import { routes as accessSignInLinksRoutes } from '../../access/sign-in/links/routes.ts'
import { routes as accessSignInReauthenticationRoutes } from '../../access/sign-in/reauthentication/routes.ts'
import { routes as accessSignInSetupRoutes } from '../../access/sign-in/setup/routes.ts'
import { routes as accessSignInSignInRoutes } from '../../access/sign-in/sign-in/routes.ts'
import { routes as accessSignInThrottlingRoutes } from '../../access/sign-in/throttling/routes.ts'
import { routes as administrationBulkChangesRoutes } from '../../administration/bulk-changes/routes.ts'
import { routes as administrationDeletedUsersRoutes } from '../../administration/deleted-users/routes.ts'
import { routes as administrationExportsRoutes } from '../../administration/exports/routes.ts'
import { routes as administrationGroupsRoutes } from '../../administration/groups/routes.ts'
import { routes as administrationImportsRoutes } from '../../administration/imports/routes.ts'
import { routes as administrationRolesRoutes } from '../../administration/roles/routes.ts'
import { routes as administrationUsersListRoutes } from '../../administration/users-list/routes.ts'
import { routes as directoryAttributesRoutes } from '../../directory/attributes/routes.ts'
import { routes as directoryOrganizationsRoutes } from '../../directory/organizations/routes.ts'
import { routes as directoryUsersRoutes } from '../../directory/users/routes.ts'
import { routes as operationsAccessReportRoutes } from '../../operations/access-report/routes.ts'
import { routes as operationsConfigurationRoutes } from '../../operations/configuration/routes.ts'
import { routes as operationsDeploymentRoutes } from '../../operations/deployment/routes.ts'
import { routes as operationsInactivityRoutes } from '../../operations/inactivity/routes.ts'
import { routes as operationsMetricsRoutes } from '../../operations/metrics/routes.ts'
import { routes as operationsOrganizationDeletionRoutes } from '../../operations/organization-deletion/routes.ts'
import { routes as operationsPoliciesRoutes } from '../../operations/policies/routes.ts'
import { routes as operationsReviewsRoutes } from '../../operations/reviews/routes.ts'
import { routes as recordAuditRoutes } from '../../record/audit/routes.ts'
import { routes as recordEventsRoutes } from '../../record/events/routes.ts'
import { routes as recordMailsRoutes } from '../../record/mails/routes.ts'
import { routes as recordRevocationsRoutes } from '../../record/revocations/routes.ts'
import { routes as recordStatisticsRoutes } from '../../record/statistics/routes.ts'
import { routes as recordWebhooksRoutes } from '../../record/webhooks/routes.ts'
import { routes as scimRoutes } from '../../scim/routes.ts'

export const routes = [
  directoryUsersRoutes,
  administrationUsersListRoutes,
  administrationExportsRoutes,
  administrationDeletedUsersRoutes,
  directoryAttributesRoutes,
  directoryOrganizationsRoutes,
  operationsOrganizationDeletionRoutes,
  administrationGroupsRoutes,
  administrationImportsRoutes,
  administrationBulkChangesRoutes,
  accessSignInThrottlingRoutes,
  accessPagesMeRoutes,
  accessCredentialsFactorsRoutes,
  accessSignInFactorPolicyRoutes,
  accessSignInSignInRoutes,
  accessSignInEmailCodeRoutes,
  accessCredentialsSessionsRoutes,
  accessSignInReauthenticationRoutes,
  accessSignInSetupRoutes,
  administrationRolesRoutes,
  operationsPoliciesRoutes,
  accessCredentialsKeysRoutes,
  accessSignInCliLoginRoutes,
  accessProvidersProvisioningRoutes,
  accessProvidersConnectionsRoutes,
  accessSignInDirectorySyncRoutes,
  accessProvidersSamlRoutes,
  accessSignInCompanySignInRoutes,
  accessCredentialsTokensRoutes,
  recordRevocationsRoutes,
  recordWebhooksRoutes,
  recordMailsRoutes,
  accessSignInLinksRoutes,
  accessSignInAccessRequestsRoutes,
  recordEventsRoutes,
  recordAuditRoutes,
  accessPagesLoginPagesRoutes,
  accessPagesAccountRoutes,
  accessPagesSetupLinksRoutes,
  accessPagesBrandingRoutes,
  accessPagesForwardAuthRoutes,
  operationsDeploymentRoutes,
  operationsMetricsRoutes,
  operationsAccessReportRoutes,
  operationsReviewsRoutes,
  operationsInactivityRoutes,
  operationsConfigurationRoutes,
  recordStatisticsRoutes,
  scimRoutes,
  accessCredentialsWellKnownRoutes,
] as const
