import type { FromSchema } from 'json-schema-to-ts'

export const roleSchema = {
  $id: 'Role',
  type: 'object',
  description: 'A role and its permissions.',
  additionalProperties: false,
  required: ['role', 'permissions', 'built_in'],
  properties: {
    role: { type: 'string', examples: ['support'] },
    permissions: {
      type: 'array',
      items: { type: 'string' },
      description: '`*` means all permissions. Permissions that your product defines have a meaning only there.',
      examples: [['users:read', 'reports:read']],
    },
    built_in: { type: 'boolean', description: 'Whether the role is built in.' },
  },
} as const

export type Role = FromSchema<typeof roleSchema>
