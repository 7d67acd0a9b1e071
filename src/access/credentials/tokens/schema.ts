import type { FromSchema } from 'json-schema-to-ts'
import { actSchema } from '../sessions/schema.ts'

const instant = { type: 'string', format: 'date-time' } as const
const permissions = { type: 'array', items: { type: 'string' }, examples: [['users:read']] } as const

export const requestTokenSchema = {
  $id: 'RequestToken',
  type: 'object',
  additionalProperties: false,
  properties: {
    permissions: {
      type: 'array',
      maxItems: 100,
      uniqueItems: true,
      items: { type: 'string', maxLength: 128 },
      description:
        "The permissions of the token, a subset of the caller's. Omitted: all permissions of the caller. Empty: none.",
    },
  },
} as const

export type RequestToken = FromSchema<typeof requestTokenSchema>

export const accessTokenSchema = {
  $id: 'AccessToken',
  type: 'object',
  additionalProperties: false,
  required: ['access_token', 'token_type', 'expires_in'],
  properties: {
    access_token: {
      type: 'string',
      description: 'A JWT as defined in RFC 9068, signed with EdDSA, or ES256 by configuration.',
    },
    token_type: { type: 'string', enum: ['Bearer'] },
    expires_in: { type: 'integer', description: 'Seconds.', examples: [300] },
  },
} as const

export type AccessToken = FromSchema<typeof accessTokenSchema>

/** RFC 7662 §2.1 and RFC 7009 §2.1: unknown members are ignored, as OAuth requires. */
export const tokenInQuestionSchema = {
  $id: 'TokenInQuestion',
  type: 'object',
  required: ['token'],
  properties: {
    token: {
      type: 'string',
      minLength: 1,
      description: 'An access token, an API key, or the value of a session cookie.',
    },
    token_type_hint: { type: 'string', description: 'Not needed: the type is recognized from the token itself.' },
  },
} as const

export type TokenInQuestion = FromSchema<typeof tokenInQuestionSchema>

export const introspectionSchema = {
  $id: 'Introspection',
  type: 'object',
  description: 'RFC 7662 §2.2. For a token that is not accepted, for any reason, only `active`.',
  additionalProperties: false,
  required: ['active'],
  properties: {
    active: { type: 'boolean' },
    token_type: { type: 'string', enum: ['access_token', 'api_key', 'session'] },
    iss: { type: 'string' },
    sub: {
      type: 'string',
      description: 'For a user the `user_id`, for a key the `key_id`. For a personal key its owner.',
    },
    client_id: {
      type: 'string',
      description: '`rollbook` for sessions, the `key_id` for keys, personal ones as well.',
    },
    username: { type: 'string' },
    email: { type: ['string', 'null'] },
    name: { type: 'string', description: 'For a user the first and last name, for a key its name.' },
    role: { type: 'string' },
    permissions,
    scope: { type: 'string', description: 'The permissions, separated by spaces.' },
    sid: { type: 'string', description: 'The `session_id` behind a session or its access token.' },
    auth_time: { type: 'integer', description: 'When the user last proved who they are, in seconds since 1970.' },
    amr: { type: 'array', items: { type: 'string' }, description: 'How the user was authenticated (RFC 8176).' },
    acr: { type: 'string', description: '`aal2`: with two kinds of proof; `aal1`: with one.' },
    act: actSchema,
    org_id: { type: 'string', description: 'The `organization_id` of the user or key. Missing: none.' },
    org_name: { type: 'string', description: 'The name of that organization.' },
    jti: { type: 'string' },
    aud: { type: 'string' },
    iat: { type: 'integer' },
    exp: { type: 'integer', description: 'Missing if the credential does not expire.' },
  },
} as const

export type Introspection = FromSchema<typeof introspectionSchema>

export const emptySchema = {
  $id: 'Empty',
  type: 'object',
  additionalProperties: false,
  properties: {},
} as const

export const signingKeySchema = {
  $id: 'SigningKey',
  type: 'object',
  description: 'A key that signs access tokens, without its private part.',
  additionalProperties: false,
  required: ['kid', 'state', 'created_at', 'signs_from', 'expires_at', 'public_key'],
  properties: {
    kid: { type: 'string', description: 'The thumbprint of the public key (RFC 7638).' },
    state: {
      type: 'string',
      enum: ['next', 'signing', 'retired'],
      description: '`next`: published, and signs from `signs_from` on; `retired`: its last tokens are still valid.',
    },
    created_at: instant,
    signs_from: instant,
    expires_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the key is no longer published; null: it is still signing.',
    },
    public_key: {
      type: 'object',
      additionalProperties: false,
      required: ['kty', 'crv', 'x', 'kid', 'alg', 'use'],
      properties: {
        kty: { type: 'string' },
        crv: { type: 'string' },
        x: { type: 'string' },
        y: { type: 'string', description: 'With ES256.' },
        kid: { type: 'string' },
        alg: { type: 'string' },
        use: { type: 'string' },
      },
    },
  },
} as const

export type SigningKey = FromSchema<typeof signingKeySchema>

export const rotateSigningKeysSchema = {
  $id: 'RotateSigningKeys',
  type: 'object',
  additionalProperties: false,
  properties: {
    revoke_previous: {
      type: 'boolean',
      description:
        'Set to true in an emergency, if a private key may have leaked. The new key signs at once, and everything that the others have signed is refused.',
    },
  },
} as const

export type RotateSigningKeys = FromSchema<typeof rotateSigningKeysSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [
  requestTokenSchema,
  accessTokenSchema,
  tokenInQuestionSchema,
  introspectionSchema,
  emptySchema,
  signingKeySchema,
  rotateSigningKeysSchema,
] as const
