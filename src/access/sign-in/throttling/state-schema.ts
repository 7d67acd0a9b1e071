import type { FromSchema } from 'json-schema-to-ts'
import { waitSchema } from './lock-schema.ts'

const instant = { type: 'string', format: 'date-time' } as const

export const signInStateSchema = {
  $id: 'SignInState',
  type: 'object',
  description: 'Whether a user can sign in now, and if not, why and what to do.',
  additionalProperties: false,
  required: [
    'user_id',
    'can_sign_in',
    'cause',
    'sentence',
    'remedy',
    'locked',
    'failures',
    'last_failure',
    'disabled',
    'until',
    'network',
    'attempts',
  ],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    can_sign_in: {
      type: 'string',
      enum: ['yes', 'no', 'not_everywhere'],
      description:
        '`yes`: with the right password. `no`: with no password. `not_everywhere`: some networks or browsers must wait, others need not; see `cause`.',
    },
    cause: {
      type: 'string',
      enum: [
        'none',
        'wrong_passwords',
        'must_change_password',
        'disabled',
        'expired',
        'organization_disabled',
        'no_password',
        'service_account',
        'password_refused',
        'company_sign_in',
        'email_code_only',
        ...waitSchema.properties.reason.enum,
      ],
      description:
        '`none`: nothing keeps the user from signing in. `wrong_passwords`: nothing does, but the latest attempts had a wrong password. `expired`: the end date has passed. `organization_disabled`: the organization of the user is disabled. `company_sign_in`: the user has no password, and a sign-in connection takes them: one that is linked, or one for the domain of their address. `email_code_only`: the user has no password, and signs in with a code by email. `password_refused`: a sign-in connection refuses the password, so the user signs in with their company. `service_account`: the user is a program, which acts with keys. `must_change_password`: at the next sign-in the user chooses a new password first. The others are reasons of `GET /users/{user_id}/lock`, which lists everything that must wait; this is the one that matters most. `wrong_passwords_for_user` without a `network`: in a browser in which the user has signed in before.',
    },
    sentence: {
      type: 'string',
      description: 'The same in English, for people. Times are in UTC.',
      examples: ['Not from 203.0.113.7 before 2026-11-20 12:00 UTC: wrong password 6 times.'],
    },
    remedy: {
      type: 'string',
      enum: ['none', 'enable', 'enable_organization', 'extend', 'set_password', 'reset_password', 'unlock'],
      description:
        'The action an administrator can take: `enable` the user, `enable_organization`, which has `active: false`, `extend` the access (a later `expires_at`, or none), `set_password` for the first time, `reset_password`, or `unlock` (`DELETE /users/{user_id}/lock`).',
    },
    locked: {
      type: 'boolean',
      description:
        'Whether sign-in as this user must wait now because of wrong passwords, everywhere or in some networks or browsers: what the filter `locked` of the list finds.',
    },
    failures: { type: 'integer', description: 'The number of wrong passwords in a row, from anywhere.' },
    last_failure: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['occurred_at', 'address', 'user_agent', 'device'],
      description: 'The latest of these, from the audit log. Null: there is none, or its record was deleted.',
      properties: {
        occurred_at: instant,
        address: { type: ['string', 'null'] },
        user_agent: { type: ['string', 'null'] },
        device: {
          type: ['string', 'null'],
          description: 'The browser and system, in words.',
          examples: ['Chrome on Windows'],
        },
      },
    },
    disabled: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['at', 'by'],
      description:
        'When a disabled user was disabled, and by whom, from the audit log. Null: unknown, or not disabled.',
      properties: {
        at: instant,
        by: {
          type: 'object',
          additionalProperties: false,
          required: ['kind', 'id', 'name'],
          properties: {
            kind: { type: 'string', description: 'The kind of the actor in the audit log, such as `user` or `key`.' },
            id: { type: ['string', 'null'] },
            name: { type: ['string', 'null'] },
          },
        },
      },
    },
    until: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'When the next attempt is accepted there. Null: nothing must wait, or only an administrator ends the wait. With `expired`: the end date.',
    },
    network: {
      type: ['string', 'null'],
      description: 'The network that must wait. Null: none, or not a network; see `cause`.',
      examples: ['203.0.113.7'],
    },
    attempts: {
      type: 'integer',
      description: 'The number of attempts counted for this cause; 0 for causes other than wrong passwords.',
    },
  },
} as const

export type SignInState = FromSchema<typeof signInStateSchema>
