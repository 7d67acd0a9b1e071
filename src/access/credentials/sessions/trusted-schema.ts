import type { FromSchema } from 'json-schema-to-ts'

const instant = { type: 'string', format: 'date-time' } as const

export const trustedBrowserSchema = {
  $id: 'TrustedBrowser',
  type: 'object',
  description: 'A browser in which a user is not asked for the second factor. Only its cookie contains the secret.',
  additionalProperties: false,
  required: ['browser_id', 'created_at', 'last_used_at', 'expires_at', 'address', 'user_agent', 'device'],
  properties: {
    browser_id: { type: 'string', format: 'uuid' },
    created_at: { ...instant, description: 'When the user chose to trust it.' },
    last_used_at: { ...instant, description: 'When the user last signed in with it.' },
    expires_at: { ...instant, description: 'From then on the second factor is asked for again.' },
    address: { type: 'string', description: 'The address at that time.', examples: ['192.0.2.7'] },
    user_agent: { type: 'string', description: 'The `User-Agent` of the browser at that time.' },
    device: { type: 'string', description: 'The same in readable form.', examples: ['Firefox on Linux'] },
  },
} as const

export type TrustedBrowser = FromSchema<typeof trustedBrowserSchema>

export const removedTrustSchema = {
  $id: 'ConfirmationOfTrustRemoval',
  type: 'object',
  additionalProperties: false,
  required: ['user_id', 'browser_id'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    browser_id: { type: 'string', format: 'uuid' },
  },
} as const
