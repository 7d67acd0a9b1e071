/** What browsers and pages exchange about passkeys, in the JSON forms of WebAuthn Level 3 (§5.1.8–5.1.10). */

const base64url = (maxLength: number) => ({ type: 'string', maxLength, pattern: '^[A-Za-z0-9_-]*={0,2}$' }) as const
const id = { ...base64url(1400), minLength: 1 }
const challengeId = {
  type: 'string',
  format: 'uuid',
  description: 'From the response with the options. Can be omitted: the passkey names it too.',
} as const

/** Browsers add members over time (`authenticatorAttachment`, …), so unknown ones are accepted and not looked at. */
const open = { additionalProperties: true } as const

export const passkeyRegistrationSchema = {
  $id: 'PasskeyRegistration',
  type: 'object',
  description: 'A new passkey: what `navigator.credentials.create` returned, as its `toJSON()` writes it.',
  ...open,
  required: ['id', 'type', 'response'],
  properties: {
    id,
    rawId: id,
    type: { type: 'string', enum: ['public-key'] },
    response: {
      type: 'object',
      ...open,
      required: ['clientDataJSON', 'attestationObject'],
      properties: {
        clientDataJSON: base64url(8192),
        attestationObject: base64url(32_768),
        transports: {
          type: 'array',
          maxItems: 10,
          items: { type: 'string', maxLength: 32, pattern: '^[a-z0-9-]+$' },
          description: 'From `getTransports()`. Kept, and sent back in later options.',
        },
      },
    },
  },
} as const

export type PasskeyRegistration = {
  id: string
  rawId?: string
  type: 'public-key'
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] }
}

export const passkeyAssertionSchema = {
  $id: 'PasskeyAssertion',
  type: 'object',
  description: 'A passkey in use: what `navigator.credentials.get` returned, as its `toJSON()` writes it.',
  ...open,
  required: ['id', 'type', 'response'],
  properties: {
    id,
    rawId: id,
    type: { type: 'string', enum: ['public-key'] },
    response: {
      type: 'object',
      ...open,
      required: ['clientDataJSON', 'authenticatorData', 'signature'],
      properties: {
        clientDataJSON: base64url(8192),
        authenticatorData: base64url(8192),
        signature: base64url(4096),
        userHandle: { ...base64url(100), type: ['string', 'null'] },
      },
    },
  },
} as const

export type PasskeyAssertion = {
  id: string
  rawId?: string
  type: 'public-key'
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null }
}

export const addPasskeySchema = {
  $id: 'AddPasskey',
  type: 'object',
  additionalProperties: false,
  required: ['passkey'],
  properties: {
    challenge_id: challengeId,
    passkey: { $ref: 'PasskeyRegistration#' },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'The name that the user gives it. Omitted: the name of the password manager, or `Passkey`.',
      examples: ['Work laptop'],
    },
  },
} as const

export type AddPasskey = { challenge_id?: string; passkey: PasskeyRegistration; name?: string }

const transports = { type: 'array', items: { type: 'string' } } as const
const descriptor = {
  type: 'object',
  additionalProperties: false,
  required: ['type', 'id', 'transports'],
  properties: { type: { type: 'string' }, id: { type: 'string' }, transports },
} as const
const beginning = {
  challenge_id: { type: 'string', format: 'uuid', description: 'Sent back with the passkey.' },
  expires_at: { type: 'string', format: 'date-time', description: 'When the options stop working.' },
} as const

export const passkeyRequestOptionsSchema = {
  $id: 'PasskeyRequestOptions',
  type: 'object',
  description: 'For `navigator.credentials.get`: pass it to `PublicKeyCredential.parseRequestOptionsFromJSON`.',
  additionalProperties: false,
  required: ['challenge', 'rpId', 'timeout', 'userVerification', 'allowCredentials'],
  properties: {
    challenge: { type: 'string' },
    rpId: { type: 'string' },
    timeout: { type: 'integer' },
    userVerification: { type: 'string' },
    allowCredentials: { type: 'array', items: descriptor },
  },
} as const

export type PasskeyRequestOptions = {
  challenge: string
  rpId: string
  timeout: number
  userVerification: 'required' | 'preferred'
  allowCredentials: { type: 'public-key'; id: string; transports: string[] }[]
}

export const passkeyRequestSchema = {
  $id: 'PasskeyRequest',
  type: 'object',
  additionalProperties: false,
  required: ['challenge_id', 'expires_at', 'options'],
  properties: { ...beginning, options: { $ref: 'PasskeyRequestOptions#' } },
} as const

export type PasskeyRequest = { challenge_id: string; expires_at: string; options: PasskeyRequestOptions }

export const passkeyCreationSchema = {
  $id: 'PasskeyCreation',
  type: 'object',
  additionalProperties: false,
  required: ['challenge_id', 'expires_at', 'options'],
  properties: {
    ...beginning,
    options: {
      type: 'object',
      description: 'For `navigator.credentials.create`: pass it to `PublicKeyCredential.parseCreationOptionsFromJSON`.',
      additionalProperties: false,
      required: [
        'challenge',
        'rp',
        'user',
        'pubKeyCredParams',
        'timeout',
        'attestation',
        'authenticatorSelection',
        'excludeCredentials',
      ],
      properties: {
        challenge: { type: 'string' },
        rp: {
          type: 'object',
          additionalProperties: false,
          required: ['id', 'name'],
          properties: { id: { type: 'string' }, name: { type: 'string' } },
        },
        user: {
          type: 'object',
          additionalProperties: false,
          required: ['id', 'name', 'displayName'],
          properties: { id: { type: 'string' }, name: { type: 'string' }, displayName: { type: 'string' } },
        },
        pubKeyCredParams: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['type', 'alg'],
            properties: { type: { type: 'string' }, alg: { type: 'integer' } },
          },
        },
        timeout: { type: 'integer' },
        attestation: { type: 'string' },
        authenticatorSelection: {
          type: 'object',
          additionalProperties: false,
          required: ['residentKey', 'requireResidentKey', 'userVerification'],
          properties: {
            residentKey: { type: 'string' },
            requireResidentKey: { type: 'boolean' },
            userVerification: { type: 'string' },
          },
        },
        excludeCredentials: { type: 'array', items: descriptor },
      },
    },
  },
} as const
