import type { FromSchema } from 'json-schema-to-ts'

const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const
const known = (description: string) => ({ type: ['integer', 'null'], minimum: 0, description }) as const

export const statisticsQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    days: {
      type: 'integer',
      minimum: 1,
      maximum: 365,
      default: 30,
      description: 'How many days, the last of them today.',
    },
  },
} as const

export type StatisticsQuery = FromSchema<typeof statisticsQuery>

export const statisticsSchema = {
  $id: 'Statistics',
  type: 'object',
  description: 'What happened day by day, and how many users there are.',
  additionalProperties: false,
  required: ['days', 'totals', 'generated_at'],
  properties: {
    days: {
      type: 'array',
      description: 'Every day, the oldest first. Null where it was not counted yet.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['date', 'sign_ups', 'sign_ins', 'failed_sign_ins', 'active_users', 'complete'],
        properties: {
          date: { type: 'string', format: 'date', description: 'In UTC.', examples: ['2026-11-20'] },
          sign_ups: count('Users with a `created_at` of this day, also those who were deleted later.'),
          sign_ins: known('How often somebody signed in.'),
          failed_sign_ins: known('How often somebody tried to and was refused.'),
          active_users: known('How many different users signed in, or used a session.'),
          complete: { type: 'boolean', description: 'False of today.' },
        },
      },
    },
    totals: {
      type: 'object',
      description: 'How many users there are. With more than 50,000 of them it is up to ten seconds old.',
      additionalProperties: false,
      required: ['users', 'active', 'inactive', 'with_password', 'without_password', 'never_signed_in', 'roles'],
      properties: {
        users: count('All of them.'),
        active: count('Who can sign in if they have a password.'),
        inactive: count('Who cannot sign in.'),
        with_password: count('Who has a password.'),
        without_password: count('Who has none.'),
        never_signed_in: count('Who has no `last_login_at`.'),
        roles: {
          type: 'array',
          description: 'By role: the configured ones, and others that users still have.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['role', 'users'],
            properties: { role: { type: 'string', examples: ['admin'] }, users: count('Who has this role.') },
          },
        },
      },
    },
    generated_at: { type: 'string', format: 'date-time', description: 'Of when the totals are.' },
  },
} as const

export type Statistics = FromSchema<typeof statisticsSchema>
