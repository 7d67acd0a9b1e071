import type { FromSchema } from 'json-schema-to-ts'
import { updateUserSchema } from '../../../directory/users/schema.ts'

const userId = { type: 'string', format: 'uuid' } as const

export const handOutLinkSchema = {
  $id: 'HandOutLink',
  type: 'object',
  additionalProperties: false,
  properties: {
    send: {
      type: 'boolean',
      description: 'Whether to send a message, if the user has an address and email is set up. Default: true.',
    },
    return_url: {
      type: 'boolean',
      description: 'Whether to return the link even if a message is sent. Default: false.',
    },
  },
} as const

export type HandOutLink = FromSchema<typeof handOutLinkSchema>

export const inviteUserSchema = {
  ...handOutLinkSchema,
  $id: 'InviteUser',
  properties: {
    ...handOutLinkSchema.properties,
    access_expires_at: {
      ...updateUserSchema.properties.expires_at,
      description:
        'Sets the end date of the user (`expires_at` of a user); `null` removes it. `expires_at` of the response is the end of the link.',
    },
  },
} as const

export type InviteUser = FromSchema<typeof inviteUserSchema>

export const handedLinkSchema = {
  $id: 'HandedLink',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'expires_at', 'sent'],
  properties: {
    user_id: userId,
    expires_at: { type: 'string', format: 'date-time' },
    sent: { type: 'boolean', description: 'Whether a message with the link is on its way.' },
    url: {
      type: 'string',
      description:
        'The link, to hand over. Its holder can set the password. It is returned when no message is sent, or with `return_url`, and never again.',
    },
  },
} as const

export type HandedLink = FromSchema<typeof handedLinkSchema>

export const invitationSchema = {
  $id: 'Invitation',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'invited', 'created_at', 'expires_at'],
  properties: {
    user_id: userId,
    invited: { type: 'boolean', description: 'Whether the user was invited and has not set a password yet.' },
    created_at: { type: ['string', 'null'], format: 'date-time', description: 'Null if the user is not invited.' },
    expires_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Until when the link works. Once it has passed, invite the user again.',
    },
  },
} as const

export type Invitation = FromSchema<typeof invitationSchema>

export const withdrawnInvitationSchema = {
  $id: 'ConfirmationOfWithdrawal',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'withdrawn'],
  properties: {
    user_id: userId,
    withdrawn: { type: 'boolean', description: 'False if the user was not invited, and in a dry run.' },
  },
} as const

export type WithdrawnInvitation = FromSchema<typeof withdrawnInvitationSchema>

export const requestPasswordResetSchema = {
  $id: 'RequestPasswordReset',
  type: 'object',
  additionalProperties: false,
  required: ['username'],
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 512, description: 'The username or the email address.' },
  },
} as const

export type RequestPasswordReset = FromSchema<typeof requestPasswordResetSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [
  handOutLinkSchema,
  inviteUserSchema,
  handedLinkSchema,
  invitationSchema,
  withdrawnInvitationSchema,
  requestPasswordResetSchema,
] as const
