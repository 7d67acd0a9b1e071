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

// Open objects: later releases may add members. An incompatible form would be named V2.
const { role, permissions } = roleSchema.properties

const roleEventSchema = {
  $id: 'RoleEventV1',
  description: '`data` of the events `role.*`: the permissions of the role, or its last permissions if it was removed.',
  type: 'object',
  required: ['role', 'permissions'],
  properties: { role, permissions },
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [roleSchema, roleEventSchema] as const
