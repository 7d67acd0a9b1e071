import type { FromSchema } from 'json-schema-to-ts'

/** More would be neither readable nor small. */
export const mostWaits = 100

export const waitSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'network', 'until', 'reason', 'attempts', 'last_attempt_at'],
  properties: {
    kind: {
      type: 'string',
      enum: ['user', 'network', 'browser'],
      description:
        '`user`: attempts from every unknown browser wait. `network`: attempts from `network` wait; other networks may try. `browser`: one browser in which the user has signed in before waits.',
    },
    network: {
      type: ['string', 'null'],
      description: 'An IPv4 address, an IPv6 /64 or an IPv6 /48; null unless `kind` is `network`.',
      examples: ['203.0.113.7', '2001:db8:1::/48'],
    },
    until: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the next attempt is accepted. Null: only an administrator or a new password ends the wait.',
    },
    reason: {
      type: 'string',
      enum: [
        'locked',
        'wrong_passwords_from_many_networks',
        'wrong_passwords_for_user',
        'network_shut_out',
        'wrong_passwords_for_many_users',
      ],
      description:
        '`locked`: 90 wrong passwords in a row for this user. `wrong_passwords_from_many_networks`: unknown browsers share 20 attempts for this user, and one more every 30 seconds; so do all browsers together for codes of the second factor. `wrong_passwords_for_user`: more than four wrong passwords in a row for this user from this network or browser. `network_shut_out`: 20 in a row for this user from this network. The network is refused, even with the right password, until it has made no attempt for a day. `wrong_passwords_for_many_users`: 30 wrong passwords from this network (240 from a /48), for any users.',
    },
    attempts: { type: 'integer', description: 'The number of wrong passwords counted.' },
    last_attempt_at: {
      type: 'string',
      format: 'date-time',
      description: 'The latest attempt that was counted, or that was refused because of this wait.',
    },
  },
} as const

export const lockSchema = {
  $id: 'Lock',
  type: 'object',
  description: 'The reasons why a user must wait before signing in.',
  additionalProperties: false,
  required: ['user_id', 'locked', 'failures', 'retry_at', 'waiting'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    locked: {
      type: 'boolean',
      description:
        'True after 90 failures in a row: even the right password is refused until an administrator unlocks the user or sets another password. Only browsers in which the user has signed in before have ten more attempts.',
    },
    failures: { type: 'integer', description: 'The number of wrong passwords in a row, from anywhere.' },
    retry_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Until then, attempts from unknown browsers are refused, from any network. Null: they are not, but a network with many failures may still have to wait; see `waiting`.',
    },
    waiting: {
      type: 'array',
      maxItems: mostWaits,
      description: `The waiting times in force for this user: of the user, and of each network that tried to sign in as this user within a day. Entries about the user come first, then the latest attempts; at most ${mostWaits}. Empty: nothing waits.`,
      items: waitSchema,
    },
  },
} as const

export type Lock = FromSchema<typeof lockSchema>
export type Wait = Lock['waiting'][number]
