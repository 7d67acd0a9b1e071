import type { FromSchema } from 'json-schema-to-ts'

const instant = { type: 'string', format: 'date-time' } as const

export const sessionSchema = {
  $id: 'Session',
  type: 'object',
  description: 'A person who is signed in on one device. The secret of the session is in its cookie alone.',
  additionalProperties: false,
  required: [
    'session_id',
    'user_id',
    'created_at',
    'last_seen_at',
    'expires_at',
    'address',
    'user_agent',
    'device',
    'current',
  ],
  properties: {
    session_id: { type: 'string', format: 'uuid' },
    user_id: { type: 'string', format: 'uuid' },
    created_at: { ...instant, description: 'When the person signed in.' },
    last_seen_at: { ...instant, description: 'When the session was last used; written down once a minute.' },
    expires_at: {
      ...instant,
      description: 'When the session ends at the latest. One that is not used ends earlier.',
    },
    address: {
      type: 'string',
      description: 'The address the person signed in from.',
      examples: ['192.0.2.7'],
    },
    user_agent: {
      type: 'string',
      description:
        'What the browser or script called itself, at most 512 characters of it, or nothing. Anybody can claim anything.',
    },
    device: {
      type: 'string',
      description: 'The same in words for people; `Unknown device` when it says nothing that is known.',
      examples: ['Firefox on Linux'],
    },
    current: { type: 'boolean', description: 'Whether this is the session that asks.' },
  },
} as const

export type Session = FromSchema<typeof sessionSchema>

export const revokedSessionSchema = {
  $id: 'ConfirmationOfSignOut',
  type: 'object',
  additionalProperties: false,
  required: ['session_id', 'revoked'],
  properties: {
    session_id: { type: 'string', format: 'uuid' },
    revoked: { type: 'boolean', description: 'False only in a dry run.' },
  },
} as const

export const revokedSessionsSchema = {
  $id: 'ConfirmationOfSignOuts',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'revoked'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    revoked: { type: 'integer', description: 'How many sessions were ended; in a dry run, how many would be.' },
  },
} as const
