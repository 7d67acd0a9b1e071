import type { FromSchema } from 'json-schema-to-ts'
import { managedByFileMember } from '../../store/managed-by-file.ts'
import { eventFilters } from '../events/service.ts'
import { deliverySchema, deliveryWithAttemptsSchema } from './delivery-schema.ts'

export { deliverySchema, deliveryWithAttemptsSchema } from './delivery-schema.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const

const url = { type: 'string', minLength: 1, maxLength: 2048 } as const
const description = { type: 'string', maxLength: 256, description: 'What the endpoint is for.' } as const
const eventTypes = {
  type: ['array', 'null'],
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  items: { type: 'string', enum: [...eventFilters] },
  description:
    'The events to send: types such as `user.created`, or `user.*` for all types of a noun. Null or omitted: every event, including those of later releases.',
} as const

const properties = {
  endpoint_id: { type: 'string', format: 'uuid' },
  url: { type: 'string', examples: ['https://crm.example.com/hooks/rollbook'] },
  description: { type: 'string', examples: ['CRM'] },
  event_types: { type: ['array', 'null'], items: { type: 'string' }, examples: [['user.*']] },
  active: {
    type: 'boolean',
    description: 'If false, nothing is sent; events that happen meanwhile are sent afterwards.',
  },
  state: {
    type: 'string',
    enum: ['active', 'failing', 'disabled'],
    description:
      '`failing`: the endpoint is active, but the last attempt failed; `failure` says why. `disabled`: `active` is false.',
  },
  failure: {
    type: ['object', 'null'],
    additionalProperties: false,
    required: ['failed_attempts', 'since', 'last_attempt_at', 'response_status', 'error'],
    description: 'The failed attempts since the last success; null if there are none. Tests do not count.',
    properties: {
      failed_attempts: {
        type: 'integer',
        minimum: 1,
        description: 'The number of failed attempts in a row, over all deliveries.',
      },
      since: { ...nullableInstant, description: 'When the first of them failed; null: unknown.' },
      last_attempt_at: { ...nullableInstant, description: 'When the last of them failed; null: unknown.' },
      response_status: { type: ['integer', 'null'], description: 'The last response status; null: no response.' },
      error: {
        type: ['string', 'null'],
        description: 'Why there was no response, or why it did not count as a success.',
      },
    },
  },
  disabled_reason: {
    type: ['string', 'null'],
    description:
      'Why Rollbook disabled the endpoint: `failing`, no attempt has succeeded for days; `gone`, the receiver responded with 410; `secret_lost`, its secret cannot be decrypted any more: rotate it, then activate the endpoint. Null if the endpoint is active or was disabled by a caller.',
  },
  failing_since: {
    ...nullableInstant,
    description:
      'Since when five or more attempts in a row have failed. Rollbook then tries one delivery at a time, and disables the endpoint after five days. Null: fewer attempts failed. `state` is `failing` from the first failed attempt.',
  },
  previous_secret_expires_at: {
    ...nullableInstant,
    description: 'Until then deliveries are also signed with the previous secret; null: there is none.',
  },
  created_at: instant,
  updated_at: instant,
  managed_by: managedByFileMember,
} as const

export const endpointSchema = {
  $id: 'WebhookEndpoint',
  type: 'object',
  description: 'A webhook endpoint, without its secret.',
  additionalProperties: false,
  required: [
    'endpoint_id',
    'url',
    'description',
    'event_types',
    'active',
    'state',
    'failure',
    'disabled_reason',
    'failing_since',
    'previous_secret_expires_at',
    'created_at',
    'updated_at',
  ],
  properties,
} as const

export type Endpoint = FromSchema<typeof endpointSchema>

export const newEndpointSchema = {
  $id: 'NewWebhookEndpoint',
  type: 'object',
  description: 'A webhook endpoint with its signing secret, which is shown only now.',
  additionalProperties: false,
  required: endpointSchema.required,
  properties: {
    ...properties,
    secret: {
      type: 'string',
      description: 'Give it unchanged to the receiver, for a Standard Webhooks library. Missing in a dry run.',
      examples: ['whsec_c2VjcmV0IG9mIDMyIGJ5dGVzIGluIGJhc2UgNjQgISE='],
    },
  },
} as const

export type NewEndpoint = FromSchema<typeof newEndpointSchema>

export const createEndpointSchema = {
  $id: 'CreateWebhookEndpoint',
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      ...url,
      description: 'The URL to send to: https, without user name and fragment, and not an internal address.',
    },
    description,
    event_types: eventTypes,
  },
} as const

export type CreateEndpoint = FromSchema<typeof createEndpointSchema>

export const updateEndpointSchema = {
  $id: 'UpdateWebhookEndpoint',
  type: 'object',
  description: 'Given members are changed; omitted members stay.',
  additionalProperties: false,
  properties: {
    ...createEndpointSchema.properties,
    active: { type: 'boolean', description: 'True also reactivates an endpoint that Rollbook disabled.' },
  },
} as const

export type UpdateEndpoint = FromSchema<typeof updateEndpointSchema>

export const deletedEndpointSchema = {
  $id: 'ConfirmationOfWebhookDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['endpoint_id', 'deleted'],
  properties: {
    endpoint_id: { type: 'string', format: 'uuid' },
    deleted: { type: 'boolean', description: 'False only in a dry run.' },
  },
} as const

export const rotateSecretSchema = {
  $id: 'RotateWebhookSecret',
  type: 'object',
  additionalProperties: false,
  properties: {
    revoke_previous: {
      type: 'boolean',
      description:
        'Set to true in an emergency, if the secret may have leaked. The old secret stops signing at once, so the receiver refuses deliveries until it has the new one.',
    },
  },
} as const

export type RotateSecret = FromSchema<typeof rotateSecretSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [
  endpointSchema,
  newEndpointSchema,
  createEndpointSchema,
  updateEndpointSchema,
  deletedEndpointSchema,
  rotateSecretSchema,
  deliverySchema,
  deliveryWithAttemptsSchema,
] as const
