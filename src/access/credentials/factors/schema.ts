import type { FromSchema } from 'json-schema-to-ts'
import { erased } from '../../../record/events/schema.ts'
import {
  addPasskeySchema,
  passkeyAssertionSchema,
  passkeyCreationSchema,
  passkeyRegistrationSchema,
  passkeyRequestOptionsSchema,
  passkeyRequestSchema,
} from './passkey-schema.ts'

export {
  type AddPasskey,
  addPasskeySchema,
  type PasskeyAssertion,
  type PasskeyRequestOptions,
  passkeyAssertionSchema,
  passkeyCreationSchema,
  passkeyRegistrationSchema,
  passkeyRequestOptionsSchema,
  passkeyRequestSchema,
} from './passkey-schema.ts'

const instant = { type: 'string', format: 'date-time' } as const

export const factorNameLength = 64

const name = {
  type: 'string',
  minLength: 1,
  maxLength: factorNameLength,
  description: 'The name that the user gives it.',
  examples: ['My phone'],
} as const

export const factorSchema = {
  $id: 'Factor',
  type: 'object',
  description: 'Something that a user signs in with besides, or instead of, the password. It never contains a secret.',
  additionalProperties: false,
  required: ['factor_id', 'kind', 'name', 'created_at', 'last_used_at', 'passkey'],
  properties: {
    factor_id: { type: 'string', format: 'uuid' },
    kind: {
      type: 'string',
      enum: ['totp', 'passkey'],
      description:
        '`totp`: one-time codes of an app. `passkey`: a key of the device, a password manager or a security key.',
    },
    name,
    created_at: instant,
    last_used_at: { ...instant, type: ['string', 'null'] },
    passkey: {
      type: ['object', 'null'],
      description: 'Details of a passkey. Null for other kinds.',
      additionalProperties: false,
      required: ['credential_id', 'rp_id', 'transports', 'aaguid', 'backup_eligible', 'backed_up'],
      properties: {
        credential_id: { type: 'string', description: 'Its id for the browser, in base64url.' },
        rp_id: { type: 'string', description: 'The domain that it belongs to.', examples: ['orchard.example'] },
        transports: {
          type: 'array',
          items: { type: 'string' },
          description: 'How a browser reaches it, as the browser said when it was added.',
          examples: [['internal', 'hybrid']],
        },
        aaguid: { type: 'string', description: 'The model of the authenticator; zeros if it does not say.' },
        backup_eligible: { type: 'boolean', description: 'Whether it can be copied to other devices of the user.' },
        backed_up: { type: 'boolean', description: 'Whether it was copied when it was last used.' },
      },
    },
  },
} as const

export type Factor = FromSchema<typeof factorSchema>

export const factorsSchema = {
  $id: 'Factors',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'required', 'required_from', 'factors', 'recovery_codes', 'passkey_accounts'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    required: { type: 'boolean', description: 'Whether the policy requires a second factor of this user.' },
    required_from: {
      ...instant,
      type: ['string', 'null'],
      description: 'Until then the user can sign in without a second factor. Null: no such time is set.',
    },
    factors: { type: 'array', items: { $ref: 'Factor#' } },
    recovery_codes: { type: 'integer', description: 'The number of recovery codes left.' },
    passkey_accounts: {
      type: 'array',
      description:
        'The passkeys of this user for browsers to know, per domain. After removing or renaming, pages pass it to `PublicKeyCredential.signalAllAcceptedCredentials` and `signalCurrentUserDetails`, so that password managers hide what no longer works.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['rp_id', 'user_handle', 'name', 'display_name', 'credential_ids'],
        properties: {
          rp_id: { type: 'string' },
          user_handle: { type: 'string', description: 'The `userId` of the signals, in base64url.' },
          name: { type: 'string' },
          display_name: { type: 'string' },
          credential_ids: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
} as const

export type Factors = {
  user_id: string
  required: boolean
  required_from: string | null
  factors: Factor[]
  recovery_codes: number
  passkey_accounts: PasskeyAccount[]
}

export type PasskeyAccount = {
  rp_id: string
  user_handle: string
  name: string
  display_name: string
  credential_ids: string[]
}

export const addTotpSchema = {
  $id: 'AddTotp',
  type: 'object',
  additionalProperties: false,
  properties: { name: { ...name, default: 'Authenticator app' } },
} as const

export const newTotpSchema = {
  $id: 'NewTotp',
  type: 'object',
  description: 'One-time codes that work once the first code has confirmed them.',
  additionalProperties: false,
  required: ['factor_id', 'secret', 'otpauth_uri', 'qr_code'],
  properties: {
    factor_id: { type: 'string', format: 'uuid' },
    secret: { type: 'string', description: 'The secret in base32, to be typed into the app. It is shown only now.' },
    otpauth_uri: { type: 'string', description: 'The same for apps on this device: a link that opens them.' },
    qr_code: { type: 'string', description: 'The link as a QR code: an SVG image.' },
  },
} as const

export type NewTotp = FromSchema<typeof newTotpSchema>

export const confirmTotpSchema = {
  $id: 'ConfirmTotp',
  type: 'object',
  additionalProperties: false,
  required: ['code'],
  properties: { code: { type: 'string', minLength: 6, maxLength: 16, description: 'A code that the app shows now.' } },
} as const

export const renameFactorSchema = {
  $id: 'RenameFactor',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name },
} as const

export const removedFactorSchema = {
  $id: 'ConfirmationOfFactorRemoval',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'removed'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    removed: { type: 'integer', description: 'The number of factors removed. In a dry run: the number that would be.' },
  },
} as const

export const recoveryCodesSchema = {
  $id: 'RecoveryCodes',
  type: 'object',
  additionalProperties: false,
  required: ['recovery_codes'],
  properties: {
    recovery_codes: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Ten codes, each for one sign-in without the other factors. They are shown only now; empty in a dry run.',
      examples: [['7KQ2M-9XR4D-HJ5TV-W3B8C-N6PEY']],
    },
  },
} as const

// Open objects: later releases may add members. An incompatible form would be named V2.
const user_id = { type: 'string', format: 'uuid' } as const
const members = factorSchema.properties

const factorEventSchema = {
  $id: 'FactorEventV1',
  description: '`data` of the events `factor.*`. It never contains a secret.',
  anyOf: [
    {
      title: 'added, renamed',
      type: 'object',
      required: ['factor_id', 'user_id', 'kind', 'name', 'created_at'],
      properties: {
        factor_id: members.factor_id,
        user_id,
        kind: members.kind,
        name: members.name,
        created_at: members.created_at,
      },
    },
    {
      title: 'removed',
      type: 'object',
      required: ['factor_id', 'user_id'],
      properties: { factor_id: members.factor_id, user_id, erased },
    },
  ],
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  factorSchema,
  factorsSchema,
  addTotpSchema,
  newTotpSchema,
  confirmTotpSchema,
  renameFactorSchema,
  passkeyRegistrationSchema,
  passkeyAssertionSchema,
  passkeyRequestOptionsSchema,
  passkeyRequestSchema,
  passkeyCreationSchema,
  addPasskeySchema,
  removedFactorSchema,
  recoveryCodesSchema,
  factorEventSchema,
] as const
