import type { FromSchema } from 'json-schema-to-ts'
import { userSchema } from '../users/schema.ts'

const instant = { type: 'string', format: 'date-time' } as const

export const deletedUserSchema = {
  $id: 'DeletedUser',
  type: 'object',
  description: 'A deleted user who can be restored, as they were.',
  additionalProperties: false,
  required: [...userSchema.required, 'deleted_at', 'restorable_until'],
  properties: {
    ...userSchema.properties,
    deleted_at: instant,
    restorable_until: { ...instant, description: 'After this time the user is erased and cannot be restored.' },
  },
} as const

export type DeletedUser = FromSchema<typeof deletedUserSchema>

export const listDeletedUsersSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 100,
      description: 'How many users to return at most, with a `Link` to the next page.',
    },
    cursor: {
      type: 'string',
      maxLength: 512,
      description: 'Where the page starts: from the `Link` header of the previous page.',
    },
  },
} as const

export type ListDeletedUsers = FromSchema<typeof listDeletedUsersSchema>
