import type { FromSchema } from 'json-schema-to-ts'

export const impersonateSchema = {
  $id: 'Impersonate',
  type: 'object',
  additionalProperties: false,
  required: ['reason'],
  properties: {
    reason: {
      type: 'string',
      minLength: 1,
      maxLength: 500,
      pattern: '\\S',
      description: 'Why you act as the user. It is recorded, and the user reads it in the notice by email.',
      examples: ['Support case 4711: the report is empty.'],
    },
  },
} as const

export type Impersonate = FromSchema<typeof impersonateSchema>
