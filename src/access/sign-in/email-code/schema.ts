import type { FromSchema } from 'json-schema-to-ts'

export const requestEmailCodeSchema = {
  $id: 'RequestEmailCode',
  type: 'object',
  additionalProperties: false,
  required: ['username'],
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 254, description: 'The username or the email address.' },
  },
} as const

export type RequestEmailCode = FromSchema<typeof requestEmailCodeSchema>

export const requestedEmailCodeSchema = {
  $id: 'RequestedEmailCode',
  type: 'object',
  description: 'The first step of a sign-in, whether or not a code was sent.',
  additionalProperties: false,
  required: ['challenge_id', 'expires_at'],
  properties: {
    challenge_id: { type: 'string', format: 'uuid', description: 'Send it to `POST /sessions` with `email_code`.' },
    expires_at: { type: 'string', format: 'date-time', description: 'Until when the code works.' },
  },
} as const

export type RequestedEmailCode = FromSchema<typeof requestedEmailCodeSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [requestEmailCodeSchema, requestedEmailCodeSchema] as const
