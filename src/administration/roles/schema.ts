import type { FromSchema } from 'json-schema-to-ts'

/** Besides the built-in roles and those of the settings. */
export const mostRoles = 256

const nullableInstant = { type: ['string', 'null'], format: 'date-time' } as const
const description = { type: 'string', maxLength: 256, description: 'What the role is for. May be empty.' } as const
const permissions = {
  type: 'array',
  maxItems: 256,
  uniqueItems: true,
  items: { type: 'string', maxLength: 129 },
  description:
    "`*` means all permissions. Words such as `reports:read`, whose subject is none of Rollbook's, belong to your product and have a meaning only there.",
} as const

export const roleSchema = {
  $id: 'Role',
  type: 'object',
  description: 'A role, its permissions, and how many hold it.',
  additionalProperties: false,
  required: [
    ...['role', 'description', 'permissions', 'built_in', 'managed_by', 'user_count', 'group_count'],
    ...['created_at', 'updated_at'],
  ],
  properties: {
    role: { type: 'string', examples: ['support'] },
    description: { ...description, examples: ['Answers customers'] },
    permissions: { ...permissions, examples: [['users:read', 'reports:read']] },
    built_in: {
      type: 'boolean',
      description: 'Whether it is `admin` or `user`, which cannot be changed or deleted.',
    },
    managed_by: {
      type: ['string', 'null'],
      enum: ['settings', 'file', null],
      description:
        '`settings`: it is in `ROLLBOOK_ROLES` and can be changed only there. `file`: a configuration file made it. Null: neither.',
    },
    replaced_by: {
      type: 'string',
      description:
        'Present while the role is being removed: the role that its holders get. It permits the same until the last one has it.',
    },
    user_count: {
      type: 'integer',
      minimum: 0,
      description: 'How many users have this role themselves. With many users it may be some seconds old.',
      examples: [12],
    },
    group_count: { type: 'integer', minimum: 0, description: 'How many groups give this role.', examples: [1] },
    created_at: { ...nullableInstant, description: 'Null for a role that is not stored.' },
    updated_at: { ...nullableInstant, description: 'Null for a role that is not stored.' },
  },
} as const

export type Role = Omit<FromSchema<typeof roleSchema>, 'permissions' | 'managed_by'> & {
  permissions: string[]
  managed_by: 'settings' | 'file' | null
}

export const createRoleSchema = {
  $id: 'CreateRole',
  type: 'object',
  description: 'Unknown members are refused.',
  additionalProperties: false,
  required: ['role', 'permissions'],
  properties: {
    role: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'The name: lower-case letters, digits, _ and -, beginning with a letter. It cannot be changed.',
    },
    description,
    permissions,
  },
} as const

export type CreateRole = FromSchema<typeof createRoleSchema>

export const updateRoleSchema = {
  $id: 'UpdateRole',
  type: 'object',
  description: 'A JSON Merge Patch (RFC 7396): omitted members stay unchanged. `permissions` replaces all of them.',
  additionalProperties: false,
  properties: { description, permissions },
} as const

export type UpdateRole = FromSchema<typeof updateRoleSchema>

export const deletedRoleSchema = {
  $id: 'ConfirmationOfRoleDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['role', 'deleted', 'replaced_by', 'user_count', 'group_count'],
  properties: {
    role: { type: 'string' },
    deleted: {
      type: 'boolean',
      description: 'False in a dry run, and as long as some hold the role that is being replaced.',
    },
    replaced_by: { type: ['string', 'null'], description: 'The role that its holders get.' },
    user_count: { type: 'integer', minimum: 0, description: 'How many users held the role themselves.' },
    group_count: { type: 'integer', minimum: 0, description: 'How many groups gave the role.' },
  },
} as const

export type DeletedRole = FromSchema<typeof deletedRoleSchema>

// Open objects: later releases may add members. An incompatible form would be named V2.
const roleEventSchema = {
  $id: 'RoleEventV1',
  description: '`data` of the events `role.*`: the permissions of the role, or its last permissions if it was removed.',
  type: 'object',
  required: ['role', 'permissions'],
  properties: {
    role: roleSchema.properties.role,
    permissions: roleSchema.properties.permissions,
    description: { type: 'string', description: 'Missing for a role of the settings.' },
  },
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [roleSchema, createRoleSchema, updateRoleSchema, deletedRoleSchema, roleEventSchema] as const
