import type { FromSchema } from 'json-schema-to-ts'
import { erased } from '../../../record/events/schema.ts'
import { managedByFileMember } from '../../../store/managed-by-file.ts'

const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const

const properties = {
  key_id: { type: 'string', format: 'uuid' },
  prefix: { type: 'string', description: 'The beginning of the key, to identify it.', examples: ['rb_3kTz9Q'] },
  name: { type: 'string', examples: ['nightly sync'] },
  permissions: { type: 'array', items: { type: 'string' }, examples: [['users:read', 'users:write']] },
  created_at: { type: 'string', format: 'date-time' },
  expires_at: { ...nullableInstant, description: 'When the key expires; null: never.' },
  last_used_at: { ...nullableInstant, description: 'When the key was last accepted; updated once a minute.' },
  managed: {
    type: 'boolean',
    description:
      'Whether the key comes from `ROLLBOOK_ADMIN_KEY`. Such a key cannot be rotated or revoked with the API.',
  },
  managed_by: managedByFileMember,
} as const

const connectionOfKey = {
  type: 'string',
  format: 'uuid',
  description: 'The provisioning connection that the key belongs to. Missing: none.',
} as const

const userOfKey = {
  type: 'string',
  format: 'uuid',
  description: 'The user that the key belongs to: it is never permitted more than this user. Missing: none.',
} as const

const organizationOfKey = {
  type: 'string',
  format: 'uuid',
  description:
    'The organization that the key belongs to: it is refused while that is disabled, and what it may do in its organization is meant of this one. Missing: none. A key of a user belongs where the user does.',
} as const

export const apiKeySchema = {
  $id: 'ApiKey',
  type: 'object',
  description: 'An API key, without the key itself.',
  additionalProperties: false,
  required: ['key_id', 'prefix', 'name', 'permissions', 'created_at', 'expires_at', 'last_used_at', 'managed'],
  properties: {
    ...properties,
    connection_id: connectionOfKey,
    user_id: userOfKey,
    organization_id: organizationOfKey,
  },
} as const

export type ApiKey = FromSchema<typeof apiKeySchema>

export const newApiKeySchema = {
  $id: 'NewApiKey',
  type: 'object',
  description: 'An API key with the key itself, which is shown only now.',
  additionalProperties: false,
  required: apiKeySchema.required,
  properties: {
    ...properties,
    connection_id: connectionOfKey,
    user_id: userOfKey,
    organization_id: organizationOfKey,
    key: {
      type: 'string',
      description: 'Keep it safe: Rollbook stores only its hash. Missing in a dry run.',
    },
  },
} as const

export type NewApiKey = FromSchema<typeof newApiKeySchema>

export const createKeySchema = {
  $id: 'CreateApiKey',
  type: 'object',
  additionalProperties: false,
  required: ['name', 'permissions'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 128, description: 'What the key is for.' },
    permissions: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      items: { type: 'string', maxLength: 128 },
      description:
        "The permissions of the key, a subset of the caller's own. `*` means all. One such as `users:read@organization` is about the organization of the key, which needs one.",
    },
    expires_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the key expires (RFC 3339, in the future). Omitted or null: never.',
    },
    connection_id: {
      type: ['string', 'null'],
      maxLength: 64,
      description:
        'The provisioning connection that the key is for: SCIM accepts only such keys, with the permission `scim:write`. Needs `provisioning:write` as well.',
    },
    organization_id: {
      type: ['string', 'null'],
      maxLength: 64,
      description:
        "The organization that the key belongs to. Omitted or null: none, or that of the connection, where a connection's key always belongs.",
    },
  },
} as const

export type CreateKey = FromSchema<typeof createKeySchema>

const { name, permissions, expires_at, organization_id } = createKeySchema.properties

export const updateKeySchema = {
  $id: 'UpdateApiKey',
  type: 'object',
  description: 'A JSON Merge Patch (RFC 7396): omitted members stay unchanged. `permissions` replaces all of them.',
  additionalProperties: false,
  properties: {
    name,
    permissions,
    expires_at: { ...expires_at, description: 'When the key expires. Null: never.' },
    organization_id: {
      ...organization_id,
      description:
        'The organization that the key belongs to from now on. Null: none. The key of a connection or of a user belongs where that does.',
    },
  },
} as const

export type UpdateKey = FromSchema<typeof updateKeySchema>

export const createPersonalKeySchema = {
  $id: 'CreatePersonalKey',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name,
    permissions: {
      ...permissions,
      minItems: 0,
      description:
        'What the key may do: some of your own permissions. `*` means all that its owner holds at any moment. Omitted: nothing here; the key then only says who its owner is.',
    },
    expires_at,
  },
} as const

export type CreatePersonalKey = FromSchema<typeof createPersonalKeySchema>

export const revokedKeySchema = {
  $id: 'ConfirmationOfRevocation',
  type: 'object',
  additionalProperties: false,
  required: ['key_id', 'revoked'],
  properties: {
    key_id: { type: 'string', format: 'uuid' },
    revoked: { type: 'boolean', description: 'False only in a dry run.' },
  },
} as const

// Open objects: later releases may add members. An incompatible form would be named V2.
const { last_used_at: _, managed: __, ...keyProperties } = apiKeySchema.properties

const keyEventSchema = {
  $id: 'KeyEventV1',
  description: '`data` of the events `key.*`. It never contains the key itself.',
  anyOf: [
    {
      title: 'created, updated, rotated',
      type: 'object',
      required: ['key_id', 'prefix', 'name', 'permissions', 'created_at', 'expires_at'],
      properties: keyProperties,
    },
    {
      title: 'revoked',
      type: 'object',
      required: ['key_id'],
      properties: { key_id: keyProperties.key_id, user_id: keyProperties.user_id, erased },
    },
  ],
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  apiKeySchema,
  newApiKeySchema,
  createKeySchema,
  updateKeySchema,
  createPersonalKeySchema,
  revokedKeySchema,
  keyEventSchema,
] as const
