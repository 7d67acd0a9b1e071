import type { FromSchema } from 'json-schema-to-ts'

const base64url43 = '^[A-Za-z0-9_-]{43}$'

export const createCliLoginSchema = {
  $id: 'CreateCliLogin',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      description: 'The machine, which becomes the name of the key.',
    },
    permissions: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      items: { type: 'string', maxLength: 128 },
      description:
        "What the key should be able to do. The key gets those that its owner holds. Omitted: all of the owner's permissions.",
    },
    key_expires_in: {
      type: 'integer',
      minimum: 60,
      maximum: 31_536_000,
      default: 7_776_000,
      description: 'For how many seconds the key is valid: 90 days if omitted, at most a year.',
    },
    redirect_uri: {
      type: 'string',
      maxLength: 256,
      description:
        'Where the browser brings the code: `http://127.0.0.1:<port>/…` or `http://[::1]:<port>/…` (RFC 8252). Omitted: a device code.',
      examples: ['http://127.0.0.1:49152/callback'],
    },
    code_challenge: {
      type: 'string',
      pattern: base64url43,
      description: 'PKCE (RFC 7636). Required with `redirect_uri`.',
    },
    code_challenge_method: { type: 'string', enum: ['S256'], description: 'Required with `redirect_uri`.' },
    state: {
      type: 'string',
      minLength: 16,
      maxLength: 128,
      pattern: '^[A-Za-z0-9_-]*$',
      description: 'Comes back with the code. Required with `redirect_uri`.',
    },
  },
} as const

export type CreateCliLogin = FromSchema<typeof createCliLoginSchema>

export const cliLoginSchema = {
  $id: 'CliLogin',
  type: 'object',
  description:
    'A sign-in of the command line that waits for its user: with `login_uri`, or with the codes of RFC 8628.',
  additionalProperties: false,
  required: ['expires_in'],
  properties: {
    login_uri: { type: 'string', format: 'uri', description: 'The page to open in the browser of this machine.' },
    device_code: { type: 'string', description: 'Keep it secret: with it you get the key.' },
    user_code: { type: 'string', description: 'What the user types on the page.', examples: ['WDJB-MJHT'] },
    verification_uri: { type: 'string', format: 'uri', description: 'The page on which the user types the code.' },
    expires_in: { type: 'integer', description: 'Seconds.', examples: [600] },
    interval: {
      type: 'integer',
      description: 'How many seconds to wait between two requests for the key.',
      examples: [5],
    },
  },
} as const

export type CliLogin = FromSchema<typeof cliLoginSchema>

/** RFC 6749 §4.1.3 and RFC 8628 §3.4: unknown members are ignored, as OAuth requires. */
export const exchangeCliLoginSchema = {
  $id: 'ExchangeCliLogin',
  type: 'object',
  required: ['grant_type'],
  properties: {
    grant_type: {
      type: 'string',
      maxLength: 128,
      description: '`authorization_code`, or `urn:ietf:params:oauth:grant-type:device_code`.',
    },
    code: { type: 'string', maxLength: 128, description: 'The code that the browser brought.' },
    redirect_uri: { type: 'string', maxLength: 256, description: 'The same as before.' },
    code_verifier: { type: 'string', maxLength: 128, description: 'The verifier of `code_challenge`.' },
    device_code: { type: 'string', maxLength: 128 },
  },
} as const

export type ExchangeCliLogin = FromSchema<typeof exchangeCliLoginSchema>

export const cliKeySchema = {
  $id: 'CliKey',
  type: 'object',
  description: 'A personal key, in the form of an access token (RFC 6749 §5.1).',
  additionalProperties: false,
  required: [
    'access_token',
    'token_type',
    'expires_in',
    'scope',
    'key_id',
    'name',
    'permissions',
    'expires_at',
    'user_id',
    'username',
  ],
  properties: {
    access_token: { type: 'string', description: 'The key. Rollbook stores only its hash.' },
    token_type: { type: 'string', enum: ['Bearer'] },
    expires_in: { type: 'integer', description: 'Seconds.' },
    scope: { type: 'string', description: 'The permissions, separated by spaces.' },
    key_id: { type: 'string', format: 'uuid' },
    name: { type: 'string' },
    permissions: { type: 'array', items: { type: 'string' } },
    expires_at: { type: 'string', format: 'date-time' },
    user_id: { type: 'string', format: 'uuid', description: 'The owner.' },
    username: { type: 'string' },
  },
} as const

export type CliKey = FromSchema<typeof cliKeySchema>

/** What has a name in the OpenAPI document. */
export const schemas = [createCliLoginSchema, cliLoginSchema, exchangeCliLoginSchema, cliKeySchema] as const
