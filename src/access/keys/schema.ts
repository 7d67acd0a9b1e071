import type { FromSchema } from 'json-schema-to-ts'

const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const

const properties = {
  key_id: { type: 'string', format: 'uuid' },
  prefix: { type: 'string', description: 'The beginning of the key, to tell keys apart.', examples: ['rb_3kTz9Q'] },
  name: { type: 'string', examples: ['nightly sync'] },
  permissions: { type: 'array', items: { type: 'string' }, examples: [['users:read', 'users:write']] },
  created_at: { type: 'string', format: 'date-time' },
  expires_at: { ...nullableInstant, description: 'From then on the key is refused; null: never.' },
  last_used_at: { ...nullableInstant, description: 'When it was last accepted; written down once a minute.' },
  managed: {
    type: 'boolean',
    description: 'Whether it is set by `ROLLBOOK_ADMIN_KEY`, and so can be neither rotated nor revoked here.',
  },
} as const

export const apiKeySchema = {
  $id: 'ApiKey',
  type: 'object',
  description: 'An API key, without the key itself.',
  additionalProperties: false,
  required: ['key_id', 'prefix', 'name', 'permissions', 'created_at', 'expires_at', 'last_used_at', 'managed'],
  properties,
} as const

export type ApiKey = FromSchema<typeof apiKeySchema>

export const newApiKeySchema = {
  $id: 'NewApiKey',
  type: 'object',
  description: 'An API key with the key itself, which is shown here and never again.',
  additionalProperties: false,
  required: apiKeySchema.required,
  properties: {
    ...properties,
    key: {
      type: 'string',
      description: 'Keep it safe: only its hash is stored. Not there in a dry run, which makes none.',
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
      description: "What the key may do: a subset of the caller's own permissions. `*` is everything.",
    },
    expires_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the key ends (RFC 3339, in the future); left out or null: never.',
    },
  },
} as const

export type CreateKey = FromSchema<typeof createKeySchema>

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
