import type { FromSchema } from 'json-schema-to-ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const

export const setupFeatures = ['domains', 'connection', 'provisioning'] as const

export type SetupFeature = (typeof setupFeatures)[number]

export const setupLinkStates = ['active', 'expired', 'revoked'] as const

const features = {
  type: 'array',
  minItems: 1,
  maxItems: 3,
  uniqueItems: true,
  items: { type: 'string', enum: setupFeatures },
  description:
    'What the link is for. `domains`: add domains and prove them. `connection`: set up, test and activate company sign-in. `provisioning`: set up provisioning with SCIM.',
  examples: [['domains', 'connection']],
} as const

const properties = {
  setup_link_id: { type: 'string', format: 'uuid', description: 'A UUIDv7 made by the server, never reused.' },
  organization_id: { type: 'string', format: 'uuid' },
  features,
  state: {
    type: 'string',
    enum: setupLinkStates,
    description:
      'Whether the link works: until `expires_at`, unless it was revoked. While the organization is disabled, no link of it works.',
  },
  email: {
    type: ['string', 'null'],
    description: 'The address that the link was sent to. Null: it was not sent by email.',
    examples: ['it@acme.example'],
  },
  expires_at: { ...instant, description: 'Until when the link works.' },
  created_at: instant,
  created_by: {
    type: 'object',
    additionalProperties: false,
    required: ['kind', 'id', 'name'],
    properties: {
      kind: { type: 'string', examples: ['user'] },
      id: { type: 'string' },
      name: { type: 'string', description: 'Empty once the user was erased.' },
    },
  },
  last_used_at: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When a page of the link was opened last, to the minute. Null: never.',
  },
} as const

const required = [
  'setup_link_id',
  'organization_id',
  'features',
  'state',
  'email',
  'expires_at',
  'created_at',
  'created_by',
  'last_used_at',
] as const

export const setupLinkSchema = {
  $id: 'OrganizationSetupLink',
  type: 'object',
  description: 'A link with which the IT administrator of a customer sets up the organization, without an account.',
  additionalProperties: false,
  required,
  properties,
} as const

export type SetupLink = FromSchema<typeof setupLinkSchema>

export const newSetupLinkSchema = {
  $id: 'NewOrganizationSetupLink',
  type: 'object',
  description: 'A setup link with its address, which is returned only now.',
  additionalProperties: false,
  required: [...required, 'sent'],
  properties: {
    ...properties,
    sent: { type: 'boolean', description: 'Whether a message with the link is on its way.' },
    url: {
      type: 'string',
      description:
        'The link, to hand over. Its holder can do what `features` says. Missing in a dry run and in a repeated response.',
      examples: ['https://app.example.com/auth/setup/…'],
    },
  },
} as const

export type NewSetupLink = FromSchema<typeof newSetupLinkSchema>

export const createSetupLinkSchema = {
  $id: 'CreateOrganizationSetupLink',
  type: 'object',
  additionalProperties: false,
  required: ['features'],
  properties: {
    features,
    expires_at: {
      ...instant,
      description: 'Until when the link works (RFC 3339), at most 30 days from now. Default: in 7 days.',
    },
    email: {
      type: 'string',
      minLength: 3,
      maxLength: 254,
      description: 'Sends the link to this address as well, with the branding of the organization.',
      examples: ['it@acme.example'],
    },
    locale: {
      type: 'string',
      minLength: 2,
      maxLength: 35,
      description:
        'The language of the message and of the pages, until their reader chooses another one, as a language tag (BCP 47). Default: that of the installation.',
      examples: ['de'],
    },
  },
} as const

export type CreateSetupLink = FromSchema<typeof createSetupLinkSchema>

/** An open object: later releases may add members. */
export const setupLinkEventSchema = {
  $id: 'SetupLinkEventV1',
  description: '`data` of the events `setup_link.*`. Without the link and the address that it was sent to.',
  type: 'object',
  required: ['setup_link_id', 'organization_id', 'features', 'created_at', 'expires_at'],
  properties: {
    setup_link_id: properties.setup_link_id,
    organization_id: properties.organization_id,
    features,
    created_at: properties.created_at,
    expires_at: properties.expires_at,
  },
} as const

export const revokedSetupLinkSchema = {
  $id: 'ConfirmationOfSetupLinkRevocation',
  type: 'object',
  additionalProperties: false,
  required: ['organization_id', 'setup_link_id', 'revoked'],
  properties: {
    organization_id: { type: 'string', format: 'uuid' },
    setup_link_id: { type: 'string', format: 'uuid' },
    revoked: { type: 'boolean', description: 'False only in a dry run.' },
  },
} as const
