/** Everything that has a name in the OpenAPI document. */
import { apiKeySchema, createKeySchema, newApiKeySchema, revokedKeySchema } from './keys/schema.ts'
import { changedPasswordSchema, changePasswordSchema, meSchema, updateMeSchema } from './me/schema.ts'
import { revocationsSchema } from './revocations/schema.ts'
import { roleSchema } from './roles/schema.ts'
import { createSessionSchema, revokedSessionSchema, revokedSessionsSchema, sessionSchema } from './sessions/schema.ts'
import { lockSchema } from './sign-in/lock-schema.ts'
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
import { createUserSchema, deletedUserSchema, updateUserSchema, userSchema } from './users/schema.ts'

export const schemas = [
  userSchema,
  createUserSchema,
  updateUserSchema,
  deletedUserSchema,
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
]
