import type { FromSchema } from 'json-schema-to-ts'
import type { PasskeyAssertion } from '../../credentials/factors/schema.ts'

export const reauthenticateSchema = {
  $id: 'Reauthenticate',
  type: 'object',
  description:
    'One proof. Users who have a second factor confirm with it; the password is enough for the others: their own, or with `connection_id` and `username` that of a directory (LDAP).',
  additionalProperties: false,
  properties: {
    password: { type: 'string', minLength: 1, maxLength: 4096, description: 'The current password.' },
    connection_id: {
      type: 'string',
      format: 'uuid',
      description: 'A directory with which the user signs in, which then checks `password`.',
    },
    username: { type: 'string', minLength: 1, maxLength: 320, description: 'The username in this directory.' },
    code: { type: 'string', minLength: 6, maxLength: 16, description: 'The one-time code that the app shows now.' },
    recovery_code: { type: 'string', minLength: 25, maxLength: 64, description: 'A recovery code; it works once.' },
    passkey: { $ref: 'PasskeyAssertion#' },
  },
} as const

export type Reauthenticate = {
  password?: string
  connection_id?: string
  username?: string
  code?: string
  recovery_code?: string
  passkey?: PasskeyAssertion
}

export const reauthenticatedSchema = {
  $id: 'Reauthenticated',
  type: 'object',
  additionalProperties: false,
  required: ['session_id', 'amr', 'auth_time'],
  properties: {
    session_id: { type: 'string', format: 'uuid' },
    amr: {
      type: 'array',
      items: { type: 'string' },
      description: 'The methods of the session from now on (RFC 8176).',
    },
    auth_time: { type: 'string', format: 'date-time', description: 'When the user proved who they are: now.' },
  },
} as const

export type Reauthenticated = FromSchema<typeof reauthenticatedSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [reauthenticateSchema, reauthenticatedSchema] as const
