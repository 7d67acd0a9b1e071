import type { FromSchema } from 'json-schema-to-ts'

const revocation = {
  type: 'object',
  additionalProperties: false,
  required: ['seq', 'kind', 'id', 'revoked_at'],
  properties: {
    seq: { type: 'integer', description: 'Grows by one with each revocation, in the order in which they hold.' },
    kind: {
      type: 'string',
      enum: ['user', 'session', 'key', 'key_changed', 'token', 'signing_key'],
      description:
        'What `id` is of: `user_id`, `session_id`, `key_id`, `jti` of an access token, `kid` of a signing key. A key that was changed (`key_changed`) goes on, but what is remembered of it may be wrong.',
    },
    id: { type: 'string' },
    credentials_version: {
      type: 'integer',
      description: 'Of a user: tokens with a smaller `credentials_version` have ended.',
    },
    revoked_at: { type: 'string', format: 'date-time' },
  },
} as const

export const revocationsSchema = {
  $id: 'Revocations',
  type: 'object',
  additionalProperties: false,
  required: ['cursor', 'revocations'],
  properties: {
    cursor: { type: 'integer', description: 'For `after` of the next request.' },
    revocations: { type: 'array', items: revocation },
  },
} as const

export type Revocations = FromSchema<typeof revocationsSchema>

export const listRevocationsQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    after: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only what came after this `cursor` or `seq`. Left out: everything that is kept, 15 minutes.',
    },
  },
} as const

export type ListRevocations = FromSchema<typeof listRevocationsQuery>
