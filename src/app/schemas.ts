/** Everything that has a name in the OpenAPI document. */

import { apiKeySchema, createKeySchema, newApiKeySchema, revokedKeySchema } from '../access/keys/schema.ts'
import { changedPasswordSchema, changePasswordSchema, meSchema, updateMeSchema } from '../access/me/schema.ts'
import { revokedSessionSchema, revokedSessionsSchema, sessionSchema } from '../access/sessions/schema.ts'
import { completeSetupSchema, setupStateSchema } from '../access/setup/schema.ts'
import { lockSchema } from '../access/sign-in/lock-schema.ts'
import { createSessionSchema } from '../access/sign-in/schema.ts'
import { signInStateSchema } from '../access/sign-in/state-schema.ts'
import {
  accessTokenSchema,
  emptySchema,
  introspectionSchema,
  requestTokenSchema,
  rotateSigningKeysSchema,
  signingKeySchema,
  tokenInQuestionSchema,
} from '../access/tokens/schema.ts'
import { bulkChangeSchema, bulkLineSchema } from '../directory/bulk-changes/schema.ts'
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
import { createUserSchema, deletionSchema, updateUserSchema, userSchema } from '../directory/users/schema.ts'
import { deploymentSchema } from '../operations/deployment/schema.ts'
import { auditCheckpointSchema, auditRecordSchema } from '../record/audit/schema.ts'
import { cloudEventSchema, eventPageSchema } from '../record/events/schema.ts'
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
  createUserSchema,
  updateUserSchema,
  deletionSchema,
  exportUsersSchema,
  plannedExportSchema,
  deletedUserSchema,
  groupSchema,
  createGroupSchema,
  updateGroupSchema,
  deletedGroupSchema,
  changeMembersSchema,
  changedMembersSchema,
  membershipSchema,
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
]
