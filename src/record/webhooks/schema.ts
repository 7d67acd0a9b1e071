import type { FromSchema } from 'json-schema-to-ts'
import { eventFilters } from '../events/types.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const

const url = { type: 'string', minLength: 1, maxLength: 2048 } as const
const description = { type: 'string', maxLength: 256, description: 'What it is for.' } as const
const eventTypes = {
  type: ['array', 'null'],
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  items: { type: 'string', enum: [...eventFilters] },
  description:
    'Which events are sent: types such as `user.created`, or `user.*` for all of a subject. Null, or left out: every event, those of later releases too.',
} as const

const properties = {
  endpoint_id: { type: 'string', format: 'uuid' },
  url: { type: 'string', examples: ['https://crm.example.com/hooks/rollbook'] },
  description: { type: 'string', examples: ['CRM'] },
  event_types: { type: ['array', 'null'], items: { type: 'string' }, examples: [['user.*']] },
  active: { type: 'boolean', description: 'When false nothing is sent; what happens meanwhile is sent afterwards.' },
  state: {
    type: 'string',
    enum: ['active', 'failing', 'disabled'],
    description:
      '`failing`: it is active, but the last attempt to send something failed; `failure` says what happened. `disabled`: `active` is false.',
  },
  failure: {
    type: ['object', 'null'],
    additionalProperties: false,
    required: ['failed_attempts', 'since', 'last_attempt_at', 'response_status', 'error'],
    description: 'The failed attempts since the last success; null: there are none. Tests do not count.',
    properties: {
      failed_attempts: { type: 'integer', minimum: 1, description: 'How many failed in a row, of all deliveries.' },
      since: { ...nullableInstant, description: 'The first of them; null: unknown.' },
      last_attempt_at: { ...nullableInstant, description: 'The last of them; null: unknown.' },
      response_status: { type: ['integer', 'null'], description: 'What the receiver answered last; null: nothing.' },
      error: { type: ['string', 'null'], description: 'Why there was no answer, or why it did not count.' },
    },
  },
  disabled_reason: {
    type: ['string', 'null'],
    description:
      'Why Rollbook switched it off: `failing`, nothing has succeeded for days; `gone`, it answered 410. Null when it is active, or was switched off by somebody.',
  },
  failing_since: {
    ...nullableInstant,
    description:
      'Since when five or more attempts in a row have failed, so that one delivery at a time is tried; five days later the endpoint is switched off. Null: fewer failed. `state` says `failing` from the first failed attempt.',
  },
  previous_secret_expires_at: {
    ...nullableInstant,
    description: 'Until then the secret before the last rotation signs as well; null: there is none.',
  },
  created_at: instant,
  updated_at: instant,
} as const

export const endpointSchema = {
  $id: 'WebhookEndpoint',
  type: 'object',
  description: 'Where webhooks are sent to, without the secret that signs them.',
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
  description: 'An endpoint with the secret that signs what is sent to it, which is shown here and never again.',
  additionalProperties: false,
  required: endpointSchema.required,
  properties: {
    ...properties,
    secret: {
      type: 'string',
      description:
        'Give it to the receiver, as it is, for a library of Standard Webhooks. Not there in a dry run, which makes none.',
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
      description: 'Where to send to: https, without user name and fragment, and not an address inside the network.',
    },
    description,
    event_types: eventTypes,
  },
} as const

export type CreateEndpoint = FromSchema<typeof createEndpointSchema>

export const updateEndpointSchema = {
  $id: 'UpdateWebhookEndpoint',
  type: 'object',
  description: 'What is given is changed; the rest stays.',
  additionalProperties: false,
  properties: {
    ...createEndpointSchema.properties,
    active: { type: 'boolean', description: 'True also begins anew after Rollbook has switched it off.' },
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
        'True in an emergency: somebody else may have the secret. It signs nothing any more; the receiver refuses what comes until it has the new one.',
    },
  },
} as const

export type RotateSecret = FromSchema<typeof rotateSecretSchema>
