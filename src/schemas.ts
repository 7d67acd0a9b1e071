/** Everything that has a name in the OpenAPI document. */

import { auditCheckpointSchema, auditRecordSchema } from './audit/schema.ts'
import { bulkChangeSchema, bulkLineSchema } from './bulk-changes/schema.ts'
import { deletedUserSchema } from './deleted-users/schema.ts'
import { deploymentSchema } from './deployment/schema.ts'
import { eventSchemas } from './events/schema.ts'
import { exportUsersSchema, plannedExportSchema } from './exports/schema.ts'
import { importedRowSchema, importJobSchema } from './imports/schema.ts'
import { apiKeySchema, createKeySchema, newApiKeySchema, revokedKeySchema } from './keys/schema.ts'
import { changedPasswordSchema, changePasswordSchema, meSchema, updateMeSchema } from './me/schema.ts'
import { revocationsSchema } from './revocations/schema.ts'
import { roleSchema } from './roles/schema.ts'
import { createSessionSchema, revokedSessionSchema, revokedSessionsSchema, sessionSchema } from './sessions/schema.ts'
import { completeSetupSchema, setupStateSchema } from './setup/schema.ts'
import { lockSchema } from './sign-in/lock-schema.ts'
import { statisticsSchema } from './statistics/schema.ts'
import {
  accessTokenSchema,
  emptySchema,
  introspectionSchema,
  requestTokenSchema,
  rotateSigningKeysSchema,
  signingKeySchema,
  tokenInQuestionSchema,
} from './tokens/schema.ts'
import { setPasswordSchema } from './users/password-routes.ts'
import { createUserSchema, deletionSchema, updateUserSchema, userSchema } from './users/schema.ts'
import {
  createEndpointSchema,
  deletedEndpointSchema,
  endpointSchema,
  newEndpointSchema,
  rotateSecretSchema,
  updateEndpointSchema,
} from './webhooks/schema.ts'
import { deliverySchema, deliveryWithAttemptsSchema } from './webhooks/schema-deliveries.ts'

export const schemas = [
  userSchema,
  createUserSchema,
  updateUserSchema,
  deletionSchema,
  exportUsersSchema,
  plannedExportSchema,
  deletedUserSchema,
  deploymentSchema,
  importedRowSchema,
  importJobSchema,
  bulkChangeSchema,
  bulkLineSchema,
  lockSchema,
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
  ...eventSchemas,
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
