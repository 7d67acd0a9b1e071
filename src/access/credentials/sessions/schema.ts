import type { FromSchema } from 'json-schema-to-ts'
import { erased } from '../../../record/events/schema.ts'
import { impersonateSchema } from './impersonation-schema.ts'
import { removedTrustSchema, trustedBrowserSchema } from './trusted-schema.ts'

export { impersonateSchema } from './impersonation-schema.ts'
export { removedTrustSchema, type TrustedBrowser, trustedBrowserSchema } from './trusted-schema.ts'

const instant = { type: 'string', format: 'date-time' } as const

/** RFC 8693 §4.1. */
export const actSchema = {
  type: 'object',
  description: 'Present while an administrator acts as the user: their `user_id` and username.',
  additionalProperties: false,
  required: ['sub', 'username'],
  properties: { sub: { type: 'string', format: 'uuid' }, username: { type: 'string', examples: ['grace'] } },
} as const

export const sessionSchema = {
  $id: 'Session',
  type: 'object',
  description: 'A user who is signed in on one device. Only the cookie contains the secret of the session.',
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
    'amr',
    'auth_time',
  ],
  properties: {
    session_id: { type: 'string', format: 'uuid' },
    user_id: { type: 'string', format: 'uuid' },
    created_at: { ...instant, description: 'When the user signed in.' },
    last_seen_at: { ...instant, description: 'When the session was last used; updated once a minute.' },
    expires_at: {
      ...instant,
      description: 'When the session ends at the latest. An unused session ends earlier.',
    },
    address: {
      type: 'string',
      description: 'The address that the user signed in from.',
      examples: ['192.0.2.7'],
    },
    user_agent: {
      type: 'string',
      description:
        'The `User-Agent` of the browser or script, cut off at 512 characters; may be empty. Clients can send any value.',
    },
    device: {
      type: 'string',
      description: 'The same in readable form; `Unknown device` if it is not recognized.',
      examples: ['Firefox on Linux'],
    },
    current: { type: 'boolean', description: 'Whether this is the session of this request.' },
    amr: {
      type: 'array',
      items: { type: 'string' },
      description:
        'How the user was authenticated (RFC 8176): `pwd` password, `otp` one-time or recovery code, `mfa` two kinds of proof.',
      examples: [['pwd', 'otp', 'mfa']],
    },
    auth_time: { ...instant, description: 'When the user last proved who they are.' },
    act: actSchema,
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
    revoked: { type: 'integer', description: 'The number of sessions ended. In a dry run: the number that would be.' },
  },
} as const

// Open objects: later releases may add members. An incompatible form would be named V2.
const { user_id, session_id, created_at, expires_at, address, user_agent, amr, auth_time } = sessionSchema.properties

const sessionEventSchema = {
  $id: 'SessionEventV1',
  description: '`data` of the events `session.*`.',
  anyOf: [
    {
      title: 'created',
      type: 'object',
      required: ['session_id', 'user_id', 'created_at', 'expires_at', 'address', 'user_agent'],
      properties: {
        session_id,
        user_id,
        created_at,
        expires_at,
        address,
        user_agent,
        amr,
        auth_time,
        act: {
          type: 'object',
          description: 'An administrator acts as the user: their `user_id`.',
          required: ['sub'],
          properties: { sub: { type: 'string', format: 'uuid' } },
        },
      },
    },
    {
      title: 'ended',
      type: 'object',
      required: ['session_id', 'user_id'],
      properties: { session_id, user_id, erased },
    },
  ],
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  trustedBrowserSchema,
  removedTrustSchema,
  impersonateSchema,
  sessionSchema,
  revokedSessionSchema,
  revokedSessionsSchema,
  sessionEventSchema,
] as const
