import type { FromSchema } from 'json-schema-to-ts'
import { queryInstant, shortWords, userSchema } from '../../directory/users/schema.ts'

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
      description: 'The maximum number of users to return, with a `Link` to the next page.',
    },
    cursor: {
      type: 'string',
      maxLength: 2048,
      description: 'Where the page starts: from the `Link` header of the previous page.',
    },
    sort: {
      type: 'string',
      enum: ['deleted_at', '-deleted_at', 'username', '-username'],
      default: '-deleted_at',
      description: 'Order of the rows, `-` for descending.',
    },
    q: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: `Users whose username, email, name or searchable attributes contained every word of this text, in any order, ignoring case, accents and commas. At most 16 different words. ${shortWords}`,
    },
    username: {
      type: 'string',
      maxLength: 512,
      description: 'Users who had exactly this username, ignoring case. Several can have had it, one after the other.',
    },
    email: {
      type: 'string',
      maxLength: 512,
      description: 'Users who had exactly this email address, ignoring case.',
    },
    role: { type: 'string', maxLength: 64 },
    deleted_after: queryInstant('deleted after'),
    deleted_before: queryInstant('deleted before'),
    count: { type: 'boolean', description: 'Adds `Total-Count`: how many users match on all pages together.' },
  },
} as const

export type ListDeletedUsers = FromSchema<typeof listDeletedUsersSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [deletedUserSchema] as const
