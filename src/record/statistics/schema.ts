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
      // Today, a year, and the year before to compare it with.
      maximum: 731,
      default: 30,
      description: 'The number of days to return, up to and including today.',
    },
  },
} as const

export type StatisticsQuery = FromSchema<typeof statisticsQuery>

export const statisticsSchema = {
  $id: 'Statistics',
  type: 'object',
  description: 'Counts for each day, and how many users there are.',
  additionalProperties: false,
  required: ['days', 'totals', 'generated_at'],
  properties: {
    days: {
      type: 'array',
      description: 'Every day, oldest first. Null for what was not counted yet.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['date', 'sign_ups', 'sign_ins', 'failed_sign_ins', 'active_users', 'complete'],
        properties: {
          date: { type: 'string', format: 'date', description: 'In UTC.', examples: ['2026-11-20'] },
          sign_ups: count('Users with a `created_at` on this day, including those deleted later.'),
          sign_ins: known('Successful sign-ins.'),
          failed_sign_ins: known('Failed sign-ins.'),
          active_users: known('Different users who signed in or used a session.'),
          complete: { type: 'boolean', description: 'False for today.' },
        },
      },
    },
    totals: {
      type: 'object',
      description: 'The number of users. With more than 50,000 users, the counts can be up to ten seconds old.',
      additionalProperties: false,
      required: [
        'users',
        'active',
        'inactive',
        'expired',
        'service_accounts',
        'with_password',
        'without_password',
        'never_signed_in',
        'with_factor',
        'with_totp',
        'with_passkey',
        'groups',
        'in_groups',
        'roles',
      ],
      properties: {
        users: count('All users: people and service accounts.'),
        active: count('Active users, who can sign in if they have a password.'),
        inactive: count('Disabled users, who cannot sign in.'),
        expired: count('Users whose end date has passed while they are not disabled. They cannot sign in either.'),
        service_accounts: count('Service accounts: programs, which cannot sign in.'),
        with_password: count('People with a password.'),
        without_password: count('People without a password.'),
        never_signed_in: count('People without a `last_login_at`.'),
        with_factor: count('Users with a second factor.'),
        with_totp: count('Users with one-time codes of an app.'),
        with_passkey: count('Users with a passkey.'),
        groups: count('All groups.'),
        in_groups: count('Users in at least one group.'),
        roles: {
          type: 'array',
          description: 'For each role: the configured roles, and others that users still have.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['role', 'users'],
            properties: { role: { type: 'string', examples: ['admin'] }, users: count('Users with this role.') },
          },
        },
      },
    },
    generated_at: { type: 'string', format: 'date-time', description: 'When the totals were counted.' },
  },
} as const

export type Statistics = FromSchema<typeof statisticsSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [statisticsSchema] as const
