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
import { changes as directoryAttributesChanges } from '../../directory/attributes/changes.ts'
import {
  changes as directoryBulkChangesChanges,
  traits as directoryBulkChangesTraits,
} from '../../directory/bulk-changes/changes.ts'
import { changes as directoryDeletedUsersChanges } from '../../directory/deleted-users/changes.ts'
import { changes as directoryExportsChanges } from '../../directory/exports/changes.ts'
import { changes as directoryGroupsChanges, traits as directoryGroupsTraits } from '../../directory/groups/changes.ts'
import { changes as directoryImportsChanges } from '../../directory/imports/changes.ts'
import {
  changes as directoryOrganizationsChanges,
  traits as directoryOrganizationsTraits,
} from '../../directory/organizations/changes.ts'
import { changes as directoryProvisioningChanges } from '../../directory/provisioning/changes.ts'
import { changes as directoryRolesChanges, traits as directoryRolesTraits } from '../../directory/roles/changes.ts'
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
  ...directoryExportsChanges,
  ...directoryDeletedUsersChanges,
  ...directoryAttributesChanges,
  ...directoryOrganizationsChanges,
  ...directoryGroupsChanges,
  ...directoryImportsChanges,
  ...directoryBulkChangesChanges,
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
  ...directoryRolesChanges,
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
  ...directoryGroupsTraits,
  ...directoryBulkChangesTraits,
  ...accessSignInThrottlingTraits,
  ...accessPagesMeTraits,
  ...accessSignInSignInTraits,
  ...accessCredentialsSessionsTraits,
  ...directoryRolesTraits,
  ...operationsPoliciesTraits,
  ...accessCredentialsKeysTraits,
  ...operationsConfigurationTraits,
  ...scimTraits,
}
