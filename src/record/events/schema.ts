import type { FromSchema } from 'json-schema-to-ts'
import { eventFilters } from './types.ts'

const instant = { type: 'string', format: 'date-time' } as const
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

export const cloudEventSchema = {
  $id: 'CloudEvent',
  type: 'object',
  description: 'What has happened, in the envelope of CloudEvents 1.0.',
  required: [
    'specversion',
    'id',
    'source',
    'type',
    'subject',
    'time',
    'datacontenttype',
    'dataschema',
    'sequence',
    'data',
  ],
  properties: {
    specversion: { const: '1.0' },
    id: { type: 'string', description: 'Names this event, here and in webhooks.' },
    source: { type: 'string', format: 'uri-reference', description: 'The base of the service that tells it.' },
    type: { type: 'string', examples: ['user.updated'] },
    subject: { type: 'string', description: 'The id of what it happened to: a user, session, key or role.' },
    time: { ...instant, description: 'When. Events stand in the order of commits, not of this.' },
    datacontenttype: { const: 'application/json' },
    dataschema: { type: 'string', format: 'uri-reference', description: 'What `data` looks like.' },
    sequence: {
      type: 'string',
      pattern: '^\\d{16}$',
      description: 'The number of the event. Greater ones were committed later.',
    },
    data: { anyOf: [ref('UserEventV1'), ref('SessionEventV1'), ref('KeyEventV1'), ref('RoleEventV1')] },
  },
} as const

export const eventPageSchema = {
  $id: 'EventPage',
  type: 'object',
  additionalProperties: false,
  required: ['feed_id', 'cursor', 'has_more', 'events'],
  properties: {
    feed_id: {
      type: 'string',
      format: 'uuid',
      description: 'Names this history. With another one, a restored backup for instance, begin again without `after`.',
    },
    cursor: { type: 'string', description: 'For `after` of the next request.', examples: ['1815'] },
    has_more: {
      type: 'boolean',
      description:
        'Something comes after the cursor already: ask on at once. It need not be of the types that you want.',
    },
    events: { type: 'array', items: ref('CloudEvent') },
  },
} as const

export const listEventsQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    after: {
      type: 'string',
      maxLength: 40,
      description:
        'Only what came after this `cursor`, or after the event with this `sequence`. Left out, or 0: from the beginning.',
    },
    limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'At most so many events; 100 when left out.' },
    wait: {
      type: 'integer',
      minimum: 0,
      maximum: 30,
      description: 'When there is nothing new, wait for so many seconds until there is.',
    },
    type: {
      type: 'array',
      maxItems: eventFilters.size,
      items: { type: 'string', enum: [...eventFilters] },
      description: 'Only events of this type, or of all types of a noun (`user.*`); repeat the parameter for several.',
    },
    feed_id: {
      type: 'string',
      maxLength: 64,
      description: 'The `feed_id` that `after` came with: 410 when the history is another one by now.',
    },
  },
} as const

export type ListEvents = FromSchema<typeof listEventsQuery>
