import type { FromSchema } from 'json-schema-to-ts'

/** More would be neither readable nor small. */
export const mostWaits = 100

const waitSchema = {
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
      description: 'The next attempt is accepted then. Null: only an administrator or a new password ends this.',
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
        '`locked`: 90 wrong passwords in a row for this user. `wrong_passwords_from_many_networks`: unknown browsers share 20 attempts at this user and one each 30 seconds. `wrong_passwords_for_user`: more than four wrong passwords in a row for this user from this network or browser. `network_shut_out`: 20 in a row for this user from this network, which is refused, even with the right password, until it has made no attempt for a day. `wrong_passwords_for_many_users`: 30 wrong passwords from this network (240 from a /48), for whichever users.',
    },
    attempts: { type: 'integer', description: 'How many wrong passwords were counted.' },
    last_attempt_at: {
      type: 'string',
      format: 'date-time',
      description: 'The latest attempt that was counted, or refused because of this.',
    },
  },
} as const

export const lockSchema = {
  $id: 'Lock',
  type: 'object',
  description: 'What keeps a user from signing in.',
  additionalProperties: false,
  required: ['user_id', 'locked', 'failures', 'retry_at', 'waiting'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    locked: {
      type: 'boolean',
      description:
        'After 90 failures in a row: even the right password is refused, until somebody unlocks the user or sets another. Only browsers in which the user has signed in before have ten more tries.',
    },
    failures: { type: 'integer', description: 'How many wrong passwords came in a row, from wherever.' },
    retry_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Until then tries from browsers that are not known are turned away, whatever network they come from; null: they are not, but a network with many failures of its own may have to wait: see `waiting`.',
    },
    waiting: {
      type: 'array',
      maxItems: mostWaits,
      description: `What must wait now before this user can sign in: the user, and each network that has tried to sign in as this user within a day. Whatever concerns the user first, then the latest attempts; at most ${mostWaits}. Empty: nothing waits.`,
      items: waitSchema,
    },
  },
} as const

export type Lock = FromSchema<typeof lockSchema>
export type Wait = Lock['waiting'][number]
