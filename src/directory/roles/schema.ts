import type { FromSchema } from 'json-schema-to-ts'

export const roleSchema = {
  $id: 'Role',
  type: 'object',
  description: 'A role of users, with what it permits.',
  additionalProperties: false,
  required: ['role', 'permissions', 'built_in'],
  properties: {
    role: { type: 'string', examples: ['support'] },
    permissions: {
      type: 'array',
      items: { type: 'string' },
      description: "`*` is every permission. Words of the product's own mean something to the product alone.",
      examples: [['users:read', 'reports:read']],
    },
    built_in: { type: 'boolean', description: 'Whether it is there without any configuration.' },
  },
} as const

export type Role = FromSchema<typeof roleSchema>
