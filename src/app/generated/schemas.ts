/** Made from app/features.ts by `npm run generate`. */
import { schemas as accessCredentialsFactorsSchemas } from '../../access/credentials/factors/schema.ts'
import { schemas as accessCredentialsKeysSchemas } from '../../access/credentials/keys/schema.ts'
import { schemas as accessCredentialsSessionsSchemas } from '../../access/credentials/sessions/schema.ts'
import { schemas as accessCredentialsTokensSchemas } from '../../access/credentials/tokens/schema.ts'
import { schemas as accessPagesAccountSchemas } from '../../access/pages/account/schema.ts'
import { schemas as accessPagesBrandingSchemas } from '../../access/pages/branding/schema.ts'
import { schemas as accessPagesMeSchemas } from '../../access/pages/me/schema.ts'
import { schemas as accessProvidersConnectionsSchemas } from '../../access/providers/connections/schema.ts'
import { schemas as accessSignInAccessRequestsSchemas } from '../../access/sign-in/access-requests/schema.ts'
import { schemas as accessSignInCliLoginSchemas } from '../../access/sign-in/cli-login/schema.ts'
import { schemas as accessSignInEmailCodeSchemas } from '../../access/sign-in/email-code/schema.ts'
import { schemas as accessSignInFactorPolicySchemas } from '../../access/sign-in/factor-policy/schema.ts'
import { schemas as accessSignInLinksSchemas } from '../../access/sign-in/links/schema.ts'
import { schemas as accessSignInReauthenticationSchemas } from '../../access/sign-in/reauthentication/schema.ts'
import { schemas as accessSignInSetupSchemas } from '../../access/sign-in/setup/schema.ts'
import { schemas as accessSignInSignInSchemas } from '../../access/sign-in/sign-in/schema.ts'
import { schemas as accessSignInThrottlingSchemas } from '../../access/sign-in/throttling/schema.ts'
import { schemas as administrationBulkChangesSchemas } from '../../administration/bulk-changes/schema.ts'
import { schemas as administrationDeletedUsersSchemas } from '../../administration/deleted-users/schema.ts'
import { schemas as administrationExportsSchemas } from '../../administration/exports/schema.ts'
import { schemas as administrationGroupsSchemas } from '../../administration/groups/schema.ts'
import { schemas as administrationImportsSchemas } from '../../administration/imports/schema.ts'
import { schemas as administrationRolesSchemas } from '../../administration/roles/schema.ts'
import { schemas as directoryAttributesSchemas } from '../../directory/attributes/schema.ts'
import { schemas as directoryOrganizationsSchemas } from '../../directory/organizations/schema.ts'
import { schemas as directoryProvisioningSchemas } from '../../directory/provisioning/schema.ts'
import { schemas as directoryUsersSchemas } from '../../directory/users/schema.ts'
import { schemas as operationsAccessReportSchemas } from '../../operations/access-report/schema.ts'
import { schemas as operationsConfigurationSchemas } from '../../operations/configuration/schema.ts'
import { schemas as operationsDeploymentSchemas } from '../../operations/deployment/schema.ts'
import { schemas as operationsInactivitySchemas } from '../../operations/inactivity/schema.ts'
import { schemas as operationsPoliciesSchemas } from '../../operations/policies/schema.ts'
import { schemas as operationsReviewsSchemas } from '../../operations/reviews/schema.ts'
import { schemas as recordAuditSchemas } from '../../record/audit/schema.ts'
import { schemas as recordEventsSchemas } from '../../record/events/schema.ts'
import { schemas as recordMailsSchemas } from '../../record/mails/schema.ts'
import { schemas as recordRevocationsSchemas } from '../../record/revocations/schema.ts'
import { schemas as recordStatisticsSchemas } from '../../record/statistics/schema.ts'
import { schemas as recordWebhooksSchemas } from '../../record/webhooks/schema.ts'

export const schemas = [
  ...directoryUsersSchemas,
  ...administrationExportsSchemas,
  ...administrationDeletedUsersSchemas,
  ...directoryAttributesSchemas,
  ...directoryOrganizationsSchemas,
  ...administrationGroupsSchemas,
  ...administrationImportsSchemas,
  ...administrationBulkChangesSchemas,
  ...directoryProvisioningSchemas,
  ...accessSignInThrottlingSchemas,
  ...accessPagesMeSchemas,
  ...accessCredentialsFactorsSchemas,
  ...accessSignInFactorPolicySchemas,
  ...accessSignInSignInSchemas,
  ...accessSignInEmailCodeSchemas,
  ...accessCredentialsSessionsSchemas,
  ...accessSignInReauthenticationSchemas,
  ...accessSignInSetupSchemas,
  ...administrationRolesSchemas,
  ...operationsPoliciesSchemas,
  ...accessCredentialsKeysSchemas,
  ...accessSignInCliLoginSchemas,
  ...accessProvidersConnectionsSchemas,
  ...accessCredentialsTokensSchemas,
  ...recordRevocationsSchemas,
  ...recordWebhooksSchemas,
  ...recordMailsSchemas,
  ...accessSignInLinksSchemas,
  ...accessSignInAccessRequestsSchemas,
  ...recordEventsSchemas,
  ...recordAuditSchemas,
  ...accessPagesAccountSchemas,
  ...accessPagesBrandingSchemas,
  ...operationsDeploymentSchemas,
  ...operationsAccessReportSchemas,
  ...operationsReviewsSchemas,
  ...operationsInactivitySchemas,
  ...operationsConfigurationSchemas,
  ...recordStatisticsSchemas,
] as const
