import type { FromSchema } from 'json-schema-to-ts'
import { attributeFilters, filters } from '../../directory/users/schema.ts'

export const accessQuery = {
  type: 'object',
  additionalProperties: false,
  patternProperties: attributeFilters,
  properties: filters,
} as const

export type AccessQuery = FromSchema<typeof accessQuery>

const nullableText = (description: string) => ({ type: ['string', 'null'], description }) as const

export const accessSourceSchema = {
  $id: 'AccessSource',
  type: 'object',
  description: 'Why a user has permissions: the own role, or the role of a group.',
  additionalProperties: false,
  required: [
    'row_id',
    'user_id',
    'username',
    'email',
    'first_name',
    'last_name',
    'kind',
    'active',
    'source',
    'role',
    'group_id',
    'group',
    'permissions',
    'since',
    'granted_by',
    'last_login_at',
    'second_factor',
    'keys',
  ],
  properties: {
    row_id: {
      type: 'string',
      description: 'The same for as long as the user has this role, or is a member of this group.',
    },
    user_id: { type: 'string', format: 'uuid' },
    username: { type: 'string' },
    email: nullableText('The email address.'),
    first_name: { type: 'string' },
    last_name: { type: 'string' },
    kind: { type: 'string', enum: ['person', 'service'] },
    active: { type: 'boolean', description: 'False: the user is disabled, and the permissions have no effect.' },
    source: {
      type: 'string',
      enum: ['role', 'group'],
      description: '`role`: the own role. `group`: the role of a group.',
    },
    role: { type: 'string', description: 'The role that gives the permissions.', examples: ['admin'] },
    group_id: { ...nullableText('With `group`: the group.'), format: 'uuid' },
    group: nullableText('With `group`: the name of the group.'),
    permissions: {
      type: 'array',
      items: { type: 'string' },
      description: 'What the role permits now. Empty if the role does not exist any more.',
    },
    since: {
      ...nullableText(
        'When the user got the role, or became a member; null if the audit log does not have it any more.',
      ),
      format: 'date-time',
    },
    granted_by: {
      type: ['object', 'null'],
      description: 'Who gave it; null if the audit log does not have it any more.',
      additionalProperties: false,
      required: ['kind', 'id', 'name'],
      properties: {
        kind: { type: 'string', description: 'As in an audit record.', examples: ['user'] },
        id: { type: 'string' },
        name: nullableText('The name at that time.'),
      },
    },
    expires_at: {
      type: 'string',
      format: 'date-time',
      description: 'With `group`: when the membership ends. Missing: it does not end.',
    },
    user_expires_at: {
      type: 'string',
      format: 'date-time',
      description: 'The end date of the user. Missing: there is none.',
    },
    last_login_at: { ...nullableText('The last sign-in; null if there was none.'), format: 'date-time' },
    second_factor: { type: 'boolean', description: 'Whether the user has a second factor.' },
    keys: { type: 'integer', minimum: 0, description: 'How many personal keys the user has.' },
  },
} as const

export type AccessSource = FromSchema<typeof accessSourceSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [accessSourceSchema] as const
