import type { FromSchema } from 'json-schema-to-ts'
import { managedByFileMember } from '../../store/managed-by-file.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const

export const profileNames = ['strict', 'okta', 'entra', 'google', 'jumpcloud'] as const

export type ProfileName = (typeof profileNames)[number]

/** Attributes of SCIM users that are texts without a meaning of their own here. */
export const endDateAttributeNames = [
  'title',
  'userType',
  'nickName',
  'employeeNumber',
  'costCenter',
  'organization',
  'division',
  'department',
] as const

export type EndDateAttribute = (typeof endDateAttributeNames)[number]

const name = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'Unique, compared as names of groups are; shown as entered.',
} as const
const profile = {
  type: 'string',
  enum: profileNames,
  description:
    'The client to be compatible with. `okta` and `entra` also accept how these deviate from RFC 7644; the others refuse it and report what is wrong.',
} as const

const organization = {
  type: ['string', 'null'],
  maxLength: 64,
  description:
    'The organization whose users the identity provider administers: it creates them there, and may not change others. Null: none.',
} as const
const end_date_attribute = {
  type: ['string', 'null'],
  enum: [...endDateAttributeNames, null],
  description:
    'The SCIM attribute in which the client sends the end date of a user, if it cannot send `expiresAt` of the extension of Rollbook: a date and time (RFC 3339), or a date (the end of that day in UTC). A request with another value is refused. Null: none.',
} as const

const properties = {
  connection_id: { type: 'string', format: 'uuid', description: 'A UUIDv7 made by the server, never reused.' },
  name: { ...name, examples: ['Okta'] },
  profile: { ...profile, examples: ['okta'] },
  end_date_attribute: { ...end_date_attribute, examples: ['userType'] },
  scim_url: {
    type: 'string',
    description: 'The address that the identity provider sends its requests to.',
    examples: ['https://app.example.com/auth/scim/v2'],
  },
  user_count: {
    type: 'integer',
    minimum: 0,
    description: 'The number of users that the connection manages: they have its id as `managed_by`.',
    examples: [120],
  },
  last_used_at: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When a key of the connection was last accepted; updated once a minute.',
  },
  created_at: instant,
  updated_at: instant,
  organization_id: {
    type: 'string',
    format: 'uuid',
    description: 'The organization that the connection belongs to, with its keys. Missing: none.',
  },
  managed_by: managedByFileMember,
} as const

const required = [
  'connection_id',
  'name',
  'profile',
  'end_date_attribute',
  'scim_url',
  'user_count',
  'last_used_at',
  'created_at',
  'updated_at',
] as const

export const connectionSchema = {
  $id: 'ProvisioningConnection',
  type: 'object',
  description: 'An identity provider that administers users and groups through SCIM.',
  additionalProperties: false,
  required,
  properties,
} as const

export type Connection = FromSchema<typeof connectionSchema>

export const newConnectionSchema = {
  $id: 'NewProvisioningConnection',
  type: 'object',
  description: 'A connection with its first API key, which is shown only now.',
  additionalProperties: false,
  required,
  properties: {
    ...properties,
    key_id: { type: 'string', format: 'uuid', description: 'The id of the API key. Missing in a dry run.' },
    key: {
      type: 'string',
      description:
        'The API key with the permission `scim:write`, for the bearer token of the identity provider. Rollbook stores only its hash. Missing in a dry run.',
    },
  },
} as const

export const createConnectionSchema = {
  $id: 'CreateProvisioningConnection',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name,
    profile: { ...profile, description: `${profile.description} Default: \`strict\`.` },
    end_date_attribute,
    expires_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the API key expires (RFC 3339, in the future). Omitted or null: never.',
    },
    organization_id: organization,
  },
} as const

export type CreateConnection = FromSchema<typeof createConnectionSchema>

export const updateConnectionSchema = {
  $id: 'UpdateProvisioningConnection',
  type: 'object',
  description: 'A JSON Merge Patch (RFC 7396): omitted members stay unchanged.',
  additionalProperties: false,
  properties: { name, profile, end_date_attribute, organization_id: organization },
} as const

export type UpdateConnection = FromSchema<typeof updateConnectionSchema>

export const deletedConnectionSchema = {
  $id: 'ConfirmationOfConnectionDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['connection_id', 'deleted', 'released'],
  properties: {
    connection_id: { type: 'string', format: 'uuid' },
    deleted: { type: 'boolean', description: 'False only in a dry run.' },
    released: {
      type: 'integer',
      minimum: 0,
      description:
        'How many users the connection managed. They stay as they are, and administrators may change them again.',
    },
  },
} as const

export const rejectedRequestSchema = {
  $id: 'RejectedRequest',
  type: 'object',
  description: 'A SCIM request that was rejected.',
  additionalProperties: false,
  required: [
    'rejection_id',
    'rejected_at',
    'request_id',
    'method',
    'path',
    'body',
    'status',
    'scim_type',
    'detail',
    'advice',
  ],
  properties: {
    rejection_id: { type: 'string', format: 'uuid' },
    rejected_at: instant,
    request_id: { type: 'string', description: 'The `X-Request-Id` of the response, as in the log.' },
    method: { type: 'string', examples: ['PATCH'] },
    path: {
      type: 'string',
      description: 'The path behind the SCIM address, with the query.',
      examples: ['/Users/019a9f3e-0000-7000-8000-000000000000'],
    },
    body: {
      type: ['string', 'null'],
      description:
        'The body that was sent, as JSON without passwords, cut off after 8,192 characters. Null: no body, or no JSON.',
    },
    status: { type: 'integer', examples: [400] },
    scim_type: {
      type: ['string', 'null'],
      description: 'The keyword of the error (RFC 7644 §3.12).',
      examples: ['invalidPath'],
    },
    detail: { type: 'string', description: 'Why the request was rejected.' },
    advice: { type: 'string', description: 'What to change in the identity provider, or here.' },
  },
} as const

export type RejectedRequest = FromSchema<typeof rejectedRequestSchema>

export const listRejectedSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 200,
      description: 'The maximum number to return, the latest first. Default: 100.',
    },
  },
} as const

export type ListRejected = FromSchema<typeof listRejectedSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [
  connectionSchema,
  newConnectionSchema,
  createConnectionSchema,
  updateConnectionSchema,
  deletedConnectionSchema,
  rejectedRequestSchema,
] as const
