import type { FromSchema } from 'json-schema-to-ts'

export const createSessionSchema = {
  $id: 'CreateSession',
  type: 'object',
  additionalProperties: false,
  required: ['username', 'password'],
  properties: {
    username: {
      type: 'string',
      minLength: 1,
      maxLength: 254, // The longest email address.
      description: 'The username or the email address.',
    },
    password: { type: 'string', minLength: 1, maxLength: 4096 },
  },
} as const

export type CreateSession = FromSchema<typeof createSessionSchema>
