import type { FromSchema } from 'json-schema-to-ts'

const revocation = {
  type: 'object',
  additionalProperties: false,
  required: ['seq', 'kind', 'id', 'revoked_at'],
  properties: {
    seq: { type: 'integer', description: 'Grows by one with each revocation, in the order in which they take effect.' },
    kind: {
      type: 'string',
      enum: [
        'user',
        'session',
        'session_changed',
        'key',
        'key_changed',
        'token',
        'signing_key',
        'organization',
        'organization_changed',
      ],
      description:
        'What `id` identifies: a `user_id`, `session_id`, `key_id`, the `jti` of an access token or the `kid` of a signing key; or an `organization_id` (`organization`: it was disabled, and every token with this `org_id` that was issued at `revoked_at` or before is revoked). A changed key (`key_changed`), session (`session_changed`: its user was authenticated again) or organization (`organization_changed`: renamed, for example) stays valid, but cached data about it may be wrong.',
    },
    id: { type: 'string' },
    credentials_version: {
      type: 'integer',
      description: 'For a user: tokens with a smaller `credentials_version` are revoked.',
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
    cursor: { type: 'integer', description: 'The value of `after` for the next request.' },
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
      description: 'Only revocations after this `cursor` or `seq`. Omitted: all that are kept, which is 15 minutes.',
    },
  },
} as const

export type ListRevocations = FromSchema<typeof listRevocationsQuery>

/** What has a name in the OpenAPI document. */
export const schemas = [revocationsSchema] as const
