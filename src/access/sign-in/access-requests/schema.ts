import type { FromSchema } from 'json-schema-to-ts'
import { valuesPatchSchema, valuesSchema } from '../../../directory/attributes/schema.ts'
import { createUserSchema } from '../../../directory/users/schema.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const
const nullableText = { type: ['string', 'null'] } as const

export const states = ['waiting', 'approved', 'declined', 'expired'] as const
export type AccessRequestState = (typeof states)[number]

/** The longest sentence of why, and the longest reason for declining. */
export const longestReason = 500

const properties = {
  request_id: { type: 'string', format: 'uuid', description: 'A UUIDv7 made by the server, never reused.' },
  state: {
    type: 'string',
    enum: states,
    description: '`waiting`: for a decision; `expired`: it waited for 30 days without one.',
  },
  email: { type: 'string', description: 'The address, which the person has confirmed.', examples: ['ada@example.com'] },
  first_name: { type: 'string' },
  last_name: { type: 'string' },
  locale: { ...nullableText, description: 'The language of the page in which the person asked.' },
  attributes: {
    ...valuesSchema,
    description: 'The values of the required attributes, as the person stated them. Checked again at the approval.',
  },
  reason: { type: 'string', description: 'Why the person asks, in their own words.' },
  created_at: { ...instant, description: 'When the person sent the request.' },
  expires_at: { ...instant, description: 'Until when it can be decided.' },
  decided_at: { ...nullableInstant, description: 'Null: not decided.' },
  decided_by: {
    type: ['object', 'null'],
    additionalProperties: false,
    required: ['kind', 'id', 'name'],
    properties: {
      kind: { type: 'string', examples: ['user'] },
      id: { type: 'string' },
      name: { type: 'string', description: 'Empty once the user was erased.' },
    },
    description: 'Who decided. Null: not decided.',
  },
  decline_reason: { ...nullableText, description: 'What the person was told. Null unless declined.' },
  user_id: { type: ['string', 'null'], format: 'uuid', description: 'The user of an approved request.' },
  existing_user_id: {
    type: ['string', 'null'],
    format: 'uuid',
    description:
      'The user who has this address by now, though the request waits: it cannot be approved. Null: there is none.',
  },
  company: {
    ...nullableText,
    description:
      'The name of the connection that signs in people with addresses of this domain. The user then gets no password. Null: none does.',
  },
} as const

const required = [
  'request_id',
  'state',
  'email',
  'first_name',
  'last_name',
  'locale',
  'attributes',
  'reason',
  'created_at',
  'expires_at',
  'decided_at',
  'decided_by',
  'decline_reason',
  'user_id',
  'existing_user_id',
  'company',
] as const

export const accessRequestSchema = {
  $id: 'AccessRequest',
  type: 'object',
  description: 'A person who asks for access. There is no user yet.',
  additionalProperties: false,
  required,
  properties,
} as const

export type AccessRequest = FromSchema<typeof accessRequestSchema>

export const decidedAccessRequestSchema = {
  $id: 'DecidedAccessRequest',
  type: 'object',
  description: 'A request after its decision.',
  additionalProperties: false,
  required,
  properties: {
    ...properties,
    invitation: {
      type: 'object',
      additionalProperties: false,
      required: ['expires_at', 'sent'],
      description: 'The invitation of the new user. Missing if a company signs the user in, and if declined.',
      properties: {
        expires_at: instant,
        sent: { type: 'boolean', description: 'Whether a message with the link is on its way.' },
        url: { type: 'string', description: 'The link, to hand over, if no message is sent. Returned only now.' },
      },
    },
  },
} as const

export type DecidedAccessRequest = FromSchema<typeof decidedAccessRequestSchema>

export const listAccessRequestsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    state: { type: 'string', enum: states, description: 'Only requests in this state.' },
    q: {
      type: 'string',
      maxLength: 256,
      description: 'Only requests that contain each of these words: in the address, the name or the reason.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: 'The maximum number of requests to return. Default: 100.',
    },
    cursor: { type: 'string', maxLength: 64, description: 'From the `Link` header of the previous page.' },
  },
} as const

export type ListAccessRequests = FromSchema<typeof listAccessRequestsSchema>

export const decideAccessRequestSchema = {
  $id: 'DecideAccessRequest',
  type: 'object',
  description: 'With `approve`, everything else is optional. With `decline`, only `reason` is allowed.',
  additionalProperties: false,
  required: ['decision'],
  properties: {
    decision: { type: 'string', enum: ['approve', 'decline'] },
    username: {
      ...createUserSchema.properties.username,
      description: 'The username of the new user. Default: the address.',
    },
    role: { ...createUserSchema.properties.role, description: 'The role of the new user. Default: `user`.' },
    groups: {
      type: 'array',
      maxItems: 50,
      uniqueItems: true,
      items: { type: 'string', minLength: 1, maxLength: 256 },
      description: 'The groups of the new user, each by its id or its name. Needs `groups:write` too.',
    },
    attributes: {
      ...valuesPatchSchema,
      description: 'Values of attributes, beside those that the person stated, or in their place.',
    },
    access_expires_at: {
      ...createUserSchema.properties.expires_at,
      description: 'The end date of the new user (`expires_at` of a user).',
    },
    reason: {
      type: 'string',
      maxLength: longestReason,
      description: 'Why it was declined; the message to the person quotes it. Only with `decline`.',
    },
  },
} as const

export type DecideAccessRequest = FromSchema<typeof decideAccessRequestSchema>

/** An open object: later releases may add members. */
const accessRequestEventSchema = {
  $id: 'AccessRequestEventV1',
  description:
    '`data` of the events `access_request.*`. Without the address and the reason: read them with `GET /access-requests/{request_id}`.',
  type: 'object',
  required: ['request_id', 'created_at', 'expires_at', 'decided_at', 'user_id'],
  properties: {
    request_id: properties.request_id,
    created_at: instant,
    expires_at: instant,
    decided_at: nullableInstant,
    user_id: properties.user_id,
  },
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  accessRequestSchema,
  decidedAccessRequestSchema,
  decideAccessRequestSchema,
  accessRequestEventSchema,
] as const
