/** Everything that has a name in the OpenAPI document. */

import {
  addPasskeySchema,
  passkeyAssertionSchema,
  passkeyCreationSchema,
  passkeyRegistrationSchema,
  passkeyRequestOptionsSchema,
  passkeyRequestSchema,
} from '../access/credentials/factors/passkey-schema.ts'
import {
  addTotpSchema,
  confirmTotpSchema,
  factorSchema,
  factorsSchema,
  newTotpSchema,
  recoveryCodesSchema,
  removedFactorSchema,
  renameFactorSchema,
} from '../access/credentials/factors/schema.ts'
import {
  apiKeySchema,
  createKeySchema,
  createPersonalKeySchema,
  newApiKeySchema,
  revokedKeySchema,
} from '../access/credentials/keys/schema.ts'
import { impersonateSchema } from '../access/credentials/sessions/impersonation-schema.ts'
import { revokedSessionSchema, revokedSessionsSchema, sessionSchema } from '../access/credentials/sessions/schema.ts'
import { removedTrustSchema, trustedBrowserSchema } from '../access/credentials/sessions/trusted-schema.ts'
import {
  accessTokenSchema,
  emptySchema,
  introspectionSchema,
  requestTokenSchema,
  rotateSigningKeysSchema,
  signingKeySchema,
  tokenInQuestionSchema,
} from '../access/credentials/tokens/schema.ts'
import {
  changedPasswordSchema,
  changePasswordSchema,
  meSchema,
  sentVerificationSchema,
  updateMeSchema,
} from '../access/pages/me/schema.ts'
import {
  createSignInConnectionSchema,
  deletedSignInConnectionSchema,
  identitySchema,
  linkIdentitySchema,
  linkStartSchema,
  linkUserIdentitySchema,
  removedIdentitiesSchema,
  signInClaimSchema,
  signInConnectionSchema,
  signInFailureSchema,
  signInTrialSchema,
  testSignInConnectionSchema,
  updateSignInConnectionSchema,
} from '../access/providers/connections/schema.ts'
import {
  secondFactorPolicyTestSchema,
  testSecondFactorPolicySchema,
  userWithoutFactorSchema,
} from '../access/sign-in/factor-policy/schema.ts'
import {
  handedLinkSchema,
  handOutLinkSchema,
  invitationSchema,
  requestPasswordResetSchema,
  withdrawnInvitationSchema,
} from '../access/sign-in/links/schema.ts'
import { reauthenticatedSchema, reauthenticateSchema } from '../access/sign-in/reauthentication/schema.ts'
import { completeSetupSchema, setupStateSchema } from '../access/sign-in/setup/schema.ts'
import { createSessionSchema } from '../access/sign-in/sign-in/schema.ts'
import { lockSchema } from '../access/sign-in/throttling/lock-schema.ts'
import { signInStateSchema } from '../access/sign-in/throttling/state-schema.ts'
import {
  attributeSchema,
  createAttributeSchema,
  deletedAttributeSchema,
  updateAttributeSchema,
} from '../directory/attributes/schema.ts'
import { bulkChangeSchema, bulkLineSchema } from '../directory/bulk-changes/schema.ts'
import {
  connectionSchema,
  createConnectionSchema,
  deletedConnectionSchema,
  newConnectionSchema,
  rejectedRequestSchema,
  updateConnectionSchema,
} from '../directory/connections/schema.ts'
import { deletedUserSchema } from '../directory/deleted-users/schema.ts'
import { exportUsersSchema, plannedExportSchema } from '../directory/exports/schema.ts'
import {
  changedMembersSchema,
  changeMembersSchema,
  createGroupSchema,
  deletedGroupSchema,
  groupSchema,
  membershipSchema,
  updateGroupSchema,
} from '../directory/groups/schema.ts'
import { importedRowSchema, importJobSchema } from '../directory/imports/schema.ts'
import { roleSchema } from '../directory/roles/schema.ts'
import { setPasswordSchema } from '../directory/users/password-routes.ts'
import {
  createdUserSchema,
  createUserSchema,
  deletionSchema,
  listedUserSchema,
  updateUserSchema,
  userSchema,
} from '../directory/users/schema.ts'
import { deploymentSchema } from '../operations/deployment/schema.ts'
import { auditCheckpointSchema, auditRecordSchema } from '../record/audit/schema.ts'
import { cloudEventSchema, eventPageSchema } from '../record/events/schema.ts'
import {
  chooseMailsSchema,
  discardedMailsSchema,
  mailPreviewSchema,
  mailSchema,
  mailServerSchema,
  previewMailSchema,
  releasedMailsSchema,
  testMailSchema,
} from '../record/mails/schema.ts'
import { revocationsSchema } from '../record/revocations/schema.ts'
import { statisticsSchema } from '../record/statistics/schema.ts'
import {
  createEndpointSchema,
  deletedEndpointSchema,
  endpointSchema,
  newEndpointSchema,
  rotateSecretSchema,
  updateEndpointSchema,
} from '../record/webhooks/schema.ts'
import { deliverySchema, deliveryWithAttemptsSchema } from '../record/webhooks/schema-deliveries.ts'
import { eventDataSchemas } from './event-schemas.ts'

export const schemas = [
  userSchema,
  createdUserSchema,
  listedUserSchema,
  createUserSchema,
  updateUserSchema,
  deletionSchema,
  exportUsersSchema,
  plannedExportSchema,
  deletedUserSchema,
  attributeSchema,
  createAttributeSchema,
  updateAttributeSchema,
  deletedAttributeSchema,
  groupSchema,
  createGroupSchema,
  updateGroupSchema,
  deletedGroupSchema,
  changeMembersSchema,
  changedMembersSchema,
  membershipSchema,
  signInConnectionSchema,
  createSignInConnectionSchema,
  updateSignInConnectionSchema,
  deletedSignInConnectionSchema,
  signInClaimSchema,
  signInFailureSchema,
  testSignInConnectionSchema,
  signInTrialSchema,
  identitySchema,
  linkIdentitySchema,
  linkStartSchema,
  linkUserIdentitySchema,
  removedIdentitiesSchema,
  connectionSchema,
  newConnectionSchema,
  createConnectionSchema,
  updateConnectionSchema,
  deletedConnectionSchema,
  rejectedRequestSchema,
  deploymentSchema,
  importedRowSchema,
  importJobSchema,
  bulkChangeSchema,
  bulkLineSchema,
  lockSchema,
  signInStateSchema,
  apiKeySchema,
  newApiKeySchema,
  createKeySchema,
  createPersonalKeySchema,
  revokedKeySchema,
  requestTokenSchema,
  accessTokenSchema,
  tokenInQuestionSchema,
  introspectionSchema,
  emptySchema,
  signingKeySchema,
  rotateSigningKeysSchema,
  revocationsSchema,
  cloudEventSchema,
  ...eventDataSchemas,
  eventPageSchema,
  auditRecordSchema,
  auditCheckpointSchema,
  setPasswordSchema,
  roleSchema,
  meSchema,
  updateMeSchema,
  changePasswordSchema,
  changedPasswordSchema,
  factorSchema,
  factorsSchema,
  trustedBrowserSchema,
  removedTrustSchema,
  addTotpSchema,
  newTotpSchema,
  confirmTotpSchema,
  renameFactorSchema,
  passkeyRegistrationSchema,
  passkeyAssertionSchema,
  passkeyRequestOptionsSchema,
  passkeyRequestSchema,
  passkeyCreationSchema,
  addPasskeySchema,
  removedFactorSchema,
  recoveryCodesSchema,
  testSecondFactorPolicySchema,
  secondFactorPolicyTestSchema,
  userWithoutFactorSchema,
  reauthenticateSchema,
  reauthenticatedSchema,
  impersonateSchema,
  sessionSchema,
  createSessionSchema,
  revokedSessionSchema,
  revokedSessionsSchema,
  statisticsSchema,
  setupStateSchema,
  completeSetupSchema,
  endpointSchema,
  newEndpointSchema,
  createEndpointSchema,
  updateEndpointSchema,
  deletedEndpointSchema,
  rotateSecretSchema,
  deliverySchema,
  deliveryWithAttemptsSchema,
  sentVerificationSchema,
  handOutLinkSchema,
  handedLinkSchema,
  invitationSchema,
  withdrawnInvitationSchema,
  requestPasswordResetSchema,
  mailSchema,
  mailServerSchema,
  previewMailSchema,
  chooseMailsSchema,
  discardedMailsSchema,
  releasedMailsSchema,
  mailPreviewSchema,
  testMailSchema,
]
