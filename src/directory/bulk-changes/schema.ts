import type { FromSchema } from 'json-schema-to-ts'
import { dryRunParameter } from '../../http/endpoint/change.ts'
import { filters } from '../users/schema.ts'

export const actions = ['activate', 'deactivate', 'set_role', 'end_sessions', 'delete', 'restore'] as const
export type BulkAction = (typeof actions)[number]

const count = { type: 'integer', minimum: 0 } as const
const userId = { type: 'string', pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' } as const

export const bulkChangeSchema = {
  $id: 'BulkChange',
  type: 'object',
  description: 'One change for many users: for those of `user_ids`, or for all who match `filter`.',
  additionalProperties: false,
  required: ['action'],
  properties: {
    action: { type: 'string', enum: actions, description: '`restore` takes `user_ids` only.' },
    role: { type: 'string', maxLength: 64, description: 'The role that `set_role` gives; of no other action.' },
    user_ids: { type: 'array', minItems: 1, maxItems: 1000, items: userId },
    filter: {
      type: 'object',
      description: 'The filters of the list, as values in JSON; all must hold together. `{}` is everybody.',
      additionalProperties: false,
      properties: filters,
    },
    except: { type: 'array', maxItems: 1000, items: userId, description: 'With `filter`: these users are left out.' },
  },
} as const

export type BulkChange = FromSchema<typeof bulkChangeSchema>

const verdictCounts = { changed: count, unchanged: count, refused: count } as const

export const bulkLineSchema = {
  $id: 'BulkLine',
  description: 'A line of the answer to a change for many users.',
  oneOf: [
    {
      type: 'object',
      additionalProperties: false,
      required: ['type', 'total'],
      properties: {
        type: { const: 'begin' },
        total: { ...count, description: 'How many users it is about.' },
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
        code: { type: 'string', description: 'Of a refusal: the problem code that the change of this user alone has.' },
        detail: { type: 'string' },
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
      description: 'Everybody is done. Without this line the answer was cut.',
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
    rows: {
      type: 'string',
      enum: ['all', 'refused'],
      description: 'Of whom there is a line: `all` (default), or those who are `refused` only.',
    },
  },
} as const

export type BulkQuery = FromSchema<typeof bulkQuery>
