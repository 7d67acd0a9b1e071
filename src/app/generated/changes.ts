/** Made from app/features.ts by `npm run generate`. */
import { changes as accessCredentialsChallengesChanges } from '../../access/credentials/challenges/changes.ts'
import { changes as accessCredentialsFactorsChanges } from '../../access/credentials/factors/changes.ts'
import {
  changes as accessCredentialsKeysChanges,
  traits as accessCredentialsKeysTraits,
} from '../../access/credentials/keys/changes.ts'
import {
  changes as accessCredentialsSessionsChanges,
  traits as accessCredentialsSessionsTraits,
} from '../../access/credentials/sessions/changes.ts'
import { changes as accessCredentialsTokensChanges } from '../../access/credentials/tokens/changes.ts'
import { changes as accessPagesBrandingChanges } from '../../access/pages/branding/changes.ts'
import { changes as accessPagesMeChanges, traits as accessPagesMeTraits } from '../../access/pages/me/changes.ts'
import { changes as accessProvidersConnectionsChanges } from '../../access/providers/connections/changes.ts'
import { changes as accessProvidersProvisioningChanges } from '../../access/providers/provisioning/changes.ts'
import { changes as accessSignInAccessRequestsChanges } from '../../access/sign-in/access-requests/changes.ts'
import { changes as accessSignInCliLoginChanges } from '../../access/sign-in/cli-login/changes.ts'
import { changes as accessSignInCompanySignInChanges } from '../../access/sign-in/company-sign-in/changes.ts'
import { changes as accessSignInDirectorySyncChanges } from '../../access/sign-in/directory-sync/changes.ts'
import { changes as accessSignInEmailCodeChanges } from '../../access/sign-in/email-code/changes.ts'
import { changes as accessSignInLinksChanges } from '../../access/sign-in/links/changes.ts'
import { changes as accessSignInReauthenticationChanges } from '../../access/sign-in/reauthentication/changes.ts'
import { changes as accessSignInSetupChanges } from '../../access/sign-in/setup/changes.ts'
import {
  changes as accessSignInSignInChanges,
  traits as accessSignInSignInTraits,
} from '../../access/sign-in/sign-in/changes.ts'
import {
  changes as accessSignInThrottlingChanges,
  traits as accessSignInThrottlingTraits,
} from '../../access/sign-in/throttling/changes.ts'
import {
  changes as administrationBulkChangesChanges,
  traits as administrationBulkChangesTraits,
} from '../../administration/bulk-changes/changes.ts'
import { changes as administrationDeletedUsersChanges } from '../../administration/deleted-users/changes.ts'
import { changes as administrationExportsChanges } from '../../administration/exports/changes.ts'
import {
  changes as administrationGroupsChanges,
  traits as administrationGroupsTraits,
} from '../../administration/groups/changes.ts'
import { changes as administrationImportsChanges } from '../../administration/imports/changes.ts'
import {
  changes as administrationRolesChanges,
  traits as administrationRolesTraits,
} from '../../administration/roles/changes.ts'
import { changes as directoryAttributesChanges } from '../../directory/attributes/changes.ts'
import {
  changes as directoryOrganizationsChanges,
  traits as directoryOrganizationsTraits,
} from '../../directory/organizations/changes.ts'
import { changes as directoryProvisioningChanges } from '../../directory/provisioning/changes.ts'
import { changes as directorySearchChanges } from '../../directory/search/changes.ts'
import { changes as directoryUsersChanges, traits as directoryUsersTraits } from '../../directory/users/changes.ts'
import {
  changes as operationsConfigurationChanges,
  traits as operationsConfigurationTraits,
} from '../../operations/configuration/changes.ts'
import { changes as operationsDeploymentChanges } from '../../operations/deployment/changes.ts'
import { changes as operationsInactivityChanges } from '../../operations/inactivity/changes.ts'
import { changes as operationsMoveChanges } from '../../operations/move/changes.ts'
import {
  changes as operationsOrganizationDeletionChanges,
  traits as operationsOrganizationDeletionTraits,
} from '../../operations/organization-deletion/changes.ts'
import {
  changes as operationsPoliciesChanges,
  traits as operationsPoliciesTraits,
} from '../../operations/policies/changes.ts'
import { changes as operationsReviewsChanges } from '../../operations/reviews/changes.ts'
import { changes as recordAuditChanges } from '../../record/audit/changes.ts'
import { changes as recordEventsChanges } from '../../record/events/changes.ts'
import { changes as recordMailsChanges } from '../../record/mails/changes.ts'
import { changes as recordRevocationsChanges } from '../../record/revocations/changes.ts'
import { changes as recordStatisticsChanges } from '../../record/statistics/changes.ts'
import { changes as recordWebhooksChanges } from '../../record/webhooks/changes.ts'
import { changes as scimChanges, traits as scimTraits } from '../../scim/changes.ts'

export const changes = {
  ...directoryUsersChanges,
  ...directorySearchChanges,
  ...administrationExportsChanges,
  ...administrationDeletedUsersChanges,
  ...directoryAttributesChanges,
  ...directoryOrganizationsChanges,
  ...operationsOrganizationDeletionChanges,
  ...administrationGroupsChanges,
  ...administrationImportsChanges,
  ...administrationBulkChangesChanges,
  ...directoryProvisioningChanges,
  ...accessSignInThrottlingChanges,
  ...accessPagesMeChanges,
  ...accessCredentialsFactorsChanges,
  ...accessSignInSignInChanges,
  ...accessSignInEmailCodeChanges,
  ...accessCredentialsChallengesChanges,
  ...accessCredentialsSessionsChanges,
  ...accessSignInReauthenticationChanges,
  ...accessSignInSetupChanges,
  ...administrationRolesChanges,
  ...operationsPoliciesChanges,
  ...accessCredentialsKeysChanges,
  ...accessSignInCliLoginChanges,
  ...accessProvidersProvisioningChanges,
  ...accessProvidersConnectionsChanges,
  ...accessSignInDirectorySyncChanges,
  ...accessSignInCompanySignInChanges,
  ...accessCredentialsTokensChanges,
  ...recordRevocationsChanges,
  ...recordWebhooksChanges,
  ...recordMailsChanges,
  ...accessSignInLinksChanges,
  ...accessSignInAccessRequestsChanges,
  ...recordEventsChanges,
  ...recordAuditChanges,
  ...accessPagesBrandingChanges,
  ...operationsDeploymentChanges,
  ...operationsMoveChanges,
  ...operationsReviewsChanges,
  ...operationsInactivityChanges,
  ...operationsConfigurationChanges,
  ...recordStatisticsChanges,
  ...scimChanges,
}

export const traits = {
  ...directoryUsersTraits,
  ...directoryOrganizationsTraits,
  ...operationsOrganizationDeletionTraits,
  ...administrationGroupsTraits,
  ...administrationBulkChangesTraits,
  ...accessSignInThrottlingTraits,
  ...accessPagesMeTraits,
  ...accessSignInSignInTraits,
  ...accessCredentialsSessionsTraits,
  ...administrationRolesTraits,
  ...operationsPoliciesTraits,
  ...accessCredentialsKeysTraits,
  ...operationsConfigurationTraits,
  ...scimTraits,
}
