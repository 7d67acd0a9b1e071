import type { FromSchema } from 'json-schema-to-ts'
import { createUserSchema } from '../../../directory/users/schema.ts'

const { username, password, email, first_name, last_name } = createUserSchema.properties

export const setupStateSchema = {
  $id: 'SetupState',
  type: 'object',
  additionalProperties: false,
  required: ['open'],
  properties: {
    open: { type: 'boolean', description: 'Whether there is no active administrator yet among the users.' },
  },
} as const

export type SetupState = FromSchema<typeof setupStateSchema>

export const completeSetupSchema = {
  $id: 'CompleteSetup',
  type: 'object',
  description: 'The token of the link, and the first administrator. All values are strings.',
  additionalProperties: false,
  required: ['token', 'username', 'password'],
  properties: {
    token: { type: 'string', minLength: 1, maxLength: 128, description: 'The part of the link after `#token=`.' },
    username,
    password,
    email,
    first_name,
    last_name,
  },
} as const

export type CompleteSetup = FromSchema<typeof completeSetupSchema>

/** What has a name in the OpenAPI document. */
export const schemas = [setupStateSchema, completeSetupSchema] as const
