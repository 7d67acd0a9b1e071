import type { FromSchema } from 'json-schema-to-ts'
import { userSchema } from '../users/schema.ts'

const instant = { type: 'string', format: 'date-time' } as const

export const deletedUserSchema = {
  $id: 'DeletedUser',
  type: 'object',
  description: 'A user who was deleted and can be restored, as they were.',
  additionalProperties: false,
  required: [...userSchema.required, 'deleted_at', 'restorable_until'],
  properties: {
    ...userSchema.properties,
    deleted_at: instant,
    restorable_until: { ...instant, description: 'From then on the user cannot be restored, and is erased.' },
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
      description: 'At most so many, with a `Link` to the next page.',
    },
    cursor: {
      type: 'string',
      maxLength: 512,
      description: 'Where to go on: from the `Link` header of the page before.',
    },
  },
} as const

export type ListDeletedUsers = FromSchema<typeof listDeletedUsersSchema>
