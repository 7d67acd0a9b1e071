import type { FromSchema } from 'json-schema-to-ts'

const instant = { type: 'string', format: 'date-time' } as const
const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const

/** `queued`: behind an earlier one of the same user; `due`: to be sent, or sent again; `dead`: given up. */
const statuses = ['queued', 'due', 'delivered', 'dead'] as const

const properties = {
  delivery_id: { type: 'string', format: 'uuid' },
  endpoint_id: { type: 'string', format: 'uuid' },
  event_id: { type: 'string', description: 'The `webhook-id`, the same for each attempt.' },
  type: { type: 'string', examples: ['user.created'] },
  status: {
    type: 'string',
    enum: statuses,
    description:
      '`queued`: waits for an earlier delivery about the same user; `due`: will be sent or retried at `next_attempt_at`; `delivered`; `dead`: given up after the last attempt.',
  },
  attempt_count: { type: 'integer' },
  next_attempt_at: nullableInstant,
  created_at: instant,
  finished_at: { ...nullableInstant, description: 'When the delivery succeeded or was given up.' },
} as const

const required = [
  'delivery_id',
  'endpoint_id',
  'event_id',
  'type',
  'status',
  'attempt_count',
  'next_attempt_at',
  'created_at',
  'finished_at',
] as const

export const deliverySchema = {
  $id: 'WebhookDelivery',
  type: 'object',
  description: 'One event for one endpoint.',
  additionalProperties: false,
  required,
  properties,
} as const

export type Delivery = FromSchema<typeof deliverySchema>

const attemptSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['attempted_at', 'duration_ms', 'response_status', 'response_body', 'error'],
  properties: {
    attempted_at: instant,
    duration_ms: { type: 'integer' },
    response_status: { type: ['integer', 'null'], description: 'Null if there was no response.' },
    response_body: { type: ['string', 'null'], description: 'The first 1,024 bytes of the response.' },
    error: {
      type: ['string', 'null'],
      description: 'Why there was no response, or why it did not count as a success.',
    },
  },
} as const

export const deliveryWithAttemptsSchema = {
  $id: 'WebhookDeliveryWithAttempts',
  type: 'object',
  description: 'A delivery with its latest attempts, newest last.',
  additionalProperties: false,
  required: [...required, 'attempts'],
  properties: { ...properties, attempts: { type: 'array', items: attemptSchema } },
} as const

export type DeliveryWithAttempts = FromSchema<typeof deliveryWithAttemptsSchema>

export const listDeliveriesSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: { type: 'string', enum: statuses, description: 'Only deliveries in this state.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: 'The maximum number of deliveries to return. Default: 100.',
    },
    cursor: { type: 'string', maxLength: 64, description: 'From the `Link` header of the previous page.' },
  },
} as const

export type ListDeliveries = FromSchema<typeof listDeliveriesSchema>
