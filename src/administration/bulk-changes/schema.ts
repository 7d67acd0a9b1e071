import type { FromSchema } from 'json-schema-to-ts'
import { valuesPatchSchema } from '../../directory/attributes/schema.ts'
import { attributeFiltersInJson, filters, overrideParameter, updateUserSchema } from '../../directory/users/schema.ts'
import { dryRunParameter } from '../../http/endpoint/change.ts'

export const actions = [
  'activate',
  'deactivate',
  'set_role',
  'set_attribute',
  'set_locale',
  'set_expires_at',
  'set_organization',
  'add_to_group',
  'remove_from_group',
  'end_sessions',
  'delete',
  'restore',
  'invite',
] as const
export type BulkAction = (typeof actions)[number]

const count = { type: 'integer', minimum: 0 } as const
const userId = { type: 'string', pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' } as const

export const bulkChangeSchema = {
  $id: 'BulkChange',
  type: 'object',
  description: 'One change for many users: those in `user_ids`, or all that match `filter`.',
  additionalProperties: false,
  required: ['action'],
  properties: {
    action: { type: 'string', enum: actions, description: '`restore` takes `user_ids` only.' },
    role: {
      type: 'string',
      maxLength: 64,
      description: 'The role that `set_role` assigns. Not allowed with other actions.',
    },
    attributes: {
      ...valuesPatchSchema,
      minProperties: 1,
      description:
        'The values that `set_attribute` sets; `null` removes one. Others stay. Not allowed with other actions.',
    },
    locale: {
      ...updateUserSchema.properties.locale,
      description:
        'The language that `set_locale` sets; `null` stands for the configured one. Not allowed with other actions.',
    },
    expires_at: {
      ...updateUserSchema.properties.expires_at,
      description:
        'The end date that `set_expires_at` sets; `null` stands for none. With `add_to_group`: the end date of the memberships, also of members. Not allowed with other actions.',
    },
    organization_id: {
      ...updateUserSchema.properties.organization_id,
      description:
        'The organization to which `set_organization` moves the users; `null` stands for none. Not allowed with other actions.',
    },
    group_id: {
      ...userId,
      description: 'The group of `add_to_group` and `remove_from_group`. Not allowed with other actions.',
    },
    send: {
      type: 'boolean',
      description: 'With `invite`: false returns the links in the response instead of sending messages. Default: true.',
    },
    resend: {
      type: 'boolean',
      description:
        'With `invite`: true also invites users who have an invitation that still works, which ends it. Default: false.',
    },
    user_ids: { type: 'array', minItems: 1, maxItems: 1000, items: userId },
    filter: {
      type: 'object',
      description: 'The filters of the list, as JSON values, combined with AND. `{}` matches every user.',
      additionalProperties: false,
      patternProperties: attributeFiltersInJson,
      properties: filters,
    },
    except: { type: 'array', maxItems: 1000, items: userId, description: 'With `filter`: users to leave out.' },
  },
} as const

export type BulkChange = FromSchema<typeof bulkChangeSchema>

const verdictCounts = { changed: count, unchanged: count, refused: count } as const

export const bulkLineSchema = {
  $id: 'BulkLine',
  description: 'A line of the response to a bulk change.',
  oneOf: [
    {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'total'],
      properties: {
        type: { const: 'begin' },
        total: { ...count, description: 'The number of affected users.' },
      },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'user_id', 'username', 'verdict'],
      properties: {
        type: { const: 'row' },
        user_id: { type: 'string', format: 'uuid' },
        username: { type: ['string', 'null'], description: 'Null: there is no such user.' },
        verdict: { type: 'string', enum: ['changed', 'unchanged', 'refused'] },
        code: {
          type: 'string',
          description: 'If refused: the problem code that a change of this single user returns.',
        },
        detail: { type: 'string' },
        before: {
          type: 'object',
          additionalProperties: false,
          description:
            'If `set_attribute`, `set_locale`, `set_expires_at` or `set_organization` changed the user, or a membership with an end date was changed or removed: the former values, in the form of the request. `null`: there was none.',
          properties: {
            attributes: valuesPatchSchema,
            locale: { type: ['string', 'null'] },
            expires_at: { type: ['string', 'null'] },
            organization_id: { type: ['string', 'null'] },
          },
        },
        url: {
          type: 'string',
          description:
            'With `invite`, if no message is sent: the link, to hand over. Its holder can set the password. It is never returned again.',
        },
        expires_at: { type: 'string', format: 'date-time', description: 'With `url`: until when it works.' },
      },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'done', 'changed', 'unchanged', 'refused'],
      properties: { type: { const: 'progress' }, done: count, ...verdictCounts },
    },
    {
      type: 'object',
      description: 'All users are done. If this line is missing, the response was cut off.',
      additionalProperties: false,
      required: ['type', 'changed', 'unchanged', 'refused'],
      properties: { type: { const: 'end' }, ...verdictCounts },
    },
  ],
} as const

export type BulkLine = FromSchema<typeof bulkLineSchema>

export const bulkQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...dryRunParameter,
    ...overrideParameter,
    rows: {
      type: 'string',
      enum: ['all', 'refused'],
      description:
        'Which users have a line: `all` (default), or only those that were `refused` and those whose link you hand over.',
    },
  },
} as const

export type BulkQuery = FromSchema<typeof bulkQuery>

/** What has a name in the OpenAPI document. */
export const schemas = [bulkChangeSchema, bulkLineSchema] as const
