import type { FromSchema } from 'json-schema-to-ts'
import { eventFilters } from './types.ts'

const instant = { type: 'string', format: 'date-time' } as const
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

export const cloudEventSchema = {
  $id: 'CloudEvent',
  type: 'object',
  description: 'An event in the CloudEvents 1.0 envelope.',
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
    id: { type: 'string', description: 'The id of this event, here and in webhooks.' },
    source: {
      type: 'string',
      format: 'uri-reference',
      description: 'The base URL of the service that reports the event.',
    },
    type: { type: 'string', examples: ['user.updated'] },
    subject: {
      type: 'string',
      description:
        'The id of the user, organization, setup link, group, connection, identity, session, key or request for access, or the name of the role or attribute, that the event is about; for a membership the ids of group and user.',
    },
    time: {
      ...instant,
      description: 'When it happened. Events are in the order of commits, which can differ from this order.',
    },
    datacontenttype: { const: 'application/json' },
    dataschema: { type: 'string', format: 'uri-reference', description: 'The schema of `data`.' },
    sequence: {
      type: 'string',
      pattern: '^\\d{16}$',
      description: 'The number of the event. Events with greater numbers were committed later.',
    },
    data: {
      anyOf: [
        ref('UserEventV1'),
        ref('OrganizationEventV1'),
        ref('SetupLinkEventV1'),
        ref('GroupEventV1'),
        ref('FactorEventV1'),
        ref('ConnectionEventV1'),
        ref('IdentityEventV1'),
        ref('AttributeEventV1'),
        ref('SessionEventV1'),
        ref('KeyEventV1'),
        ref('RoleEventV1'),
        ref('AccessRequestEventV1'),
        ref('BrandingEventV1'),
        ref('ReviewEventV1'),
      ],
    },
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
      description:
        'Identifies this history. If it changes, for example after a restored backup, start over without `after`.',
    },
    cursor: { type: 'string', description: 'The value of `after` for the next request.', examples: ['1815'] },
    has_more: {
      type: 'boolean',
      description: 'Whether more events are available now. They may be of other types than the ones you requested.',
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
        'Only events after this `cursor`, or after the event with this `sequence`. Omitted or 0: from the beginning.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description: 'The maximum number of events to return. Default: 100.',
    },
    wait: {
      type: 'integer',
      minimum: 0,
      maximum: 30,
      description: 'The number of seconds to wait for the next event, if there are no more.',
    },
    type: {
      type: 'array',
      maxItems: eventFilters.size,
      items: { type: 'string', enum: [...eventFilters] },
      description: 'Only events of this type, or of all types of a noun (`user.*`). You can repeat the parameter.',
    },
    feed_id: {
      type: 'string',
      maxLength: 64,
      description: 'The `feed_id` that came with `after`: if the history has changed, the response is 410.',
    },
  },
} as const

export type ListEvents = FromSchema<typeof listEventsQuery>

/** A member of an event whose user was erased. */
export const erased = {
  const: true,
  description:
    'The user was erased, and with them the personal data of this event. Receivers do not need to act on it.',
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [cloudEventSchema, eventPageSchema] as const
