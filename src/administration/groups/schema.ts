import type { FromSchema } from 'json-schema-to-ts'
import * as named from '../../directory/named-resources/schema.ts'
import { listUsersSchema } from '../../directory/users/schema.ts'
import { erased } from '../../record/events/schema.ts'

const instant = { type: 'string', format: 'date-time', examples: ['2026-11-20T09:30:00.000Z'] } as const

const name = {
  ...named.name,
  description: 'Unique, compared as usernames are, but with spaces between words; shown as entered.',
} as const
const description = { type: 'string', maxLength: 1024 } as const
const externalId = {
  ...named.externalId,
  description: "The client's own id for the group. Unique, compared exactly.",
} as const
const role = {
  type: ['string', 'null'],
  maxLength: 64,
  description: 'One of the configured roles, which the members have in addition to their own. Null: none.',
} as const

const organizationId = {
  type: ['string', 'null'],
  maxLength: 64,
  description:
    'The organization to which the group belongs: its `organization_id`. Its members may belong elsewhere. Null: none.',
} as const

export const groupSchema = {
  $id: 'Group',
  type: 'object',
  description: 'A group of users. Groups contain users only, no other groups.',
  additionalProperties: false,
  required: ['group_id', 'name', 'description', 'external_id', 'role', 'member_count', 'created_at', 'updated_at'],
  properties: {
    group_id: { type: 'string', format: 'uuid', description: 'A UUIDv7 made by the server, never reused.' },
    name: { ...name, examples: ['Support'] },
    description: { ...description, examples: ['Answers customers'] },
    external_id: { ...externalId, examples: ['00g1emaKYZTWRYYRRTSK'] },
    role: { ...role, examples: ['support'] },
    member_count: {
      type: 'integer',
      minimum: 0,
      description:
        'How many members the group has. To a caller whose permission is limited to their organization: how many of the organization.',
      examples: [12],
    },
    guest_count: {
      type: 'integer',
      minimum: 0,
      description:
        'How many members do not belong to the organization of the group. Missing: the group belongs to none.',
    },
    created_at: instant,
    updated_at: instant,
    managed_by: {
      type: 'string',
      description:
        'The provisioning connection whose identity provider manages the group (`GET /provisioning`), or `file`: a configuration file manages it, and others change it with `override=true` only; its members are not concerned. Missing: none does.',
    },
    organization_id: {
      type: 'string',
      format: 'uuid',
      description: 'The organization to which the group belongs. Missing: none.',
    },
  },
} as const

export type Group = FromSchema<typeof groupSchema>

/** A date in the past ends the membership at once. */
const expiresAt = {
  type: ['string', 'null'],
  format: 'date-time',
  maxLength: 64,
  description:
    'The end date of the membership: from this instant on it gives nothing, and it is removed. A date in the past ends it at once; `null` removes the date. Omitted: members keep their date, and new ones have none.',
  examples: ['2026-12-31T23:59:59.999Z'],
} as const

export const groupOfUserSchema = {
  ...groupSchema,
  $id: 'GroupOfUser',
  description: 'A group of a user.',
  properties: {
    ...groupSchema.properties,
    expires_at: {
      type: 'string',
      format: 'date-time',
      description: 'When the membership ends. Missing: it does not end.',
    },
  },
} as const

export type GroupOfUser = FromSchema<typeof groupOfUserSchema>

export const createGroupSchema = {
  $id: 'CreateGroup',
  type: 'object',
  description: 'Only `name` is required. Unknown members are refused.',
  additionalProperties: false,
  required: ['name'],
  properties: { name, description, external_id: externalId, role, organization_id: organizationId },
} as const

export type CreateGroup = FromSchema<typeof createGroupSchema>

export const updateGroupSchema = {
  $id: 'UpdateGroup',
  type: 'object',
  description:
    'A JSON Merge Patch (RFC 7396): omitted members stay unchanged; `null` clears `external_id`, `role` or `organization_id`.',
  additionalProperties: false,
  properties: createGroupSchema.properties,
} as const

export type UpdateGroup = FromSchema<typeof updateGroupSchema>

export const deletedGroupSchema = {
  $id: 'ConfirmationOfGroupDeletion',
  type: 'object',
  additionalProperties: false,
  required: ['group_id', 'deleted'],
  properties: {
    group_id: { type: 'string', format: 'uuid' },
    deleted: { type: 'boolean', description: 'False only in a dry run.' },
  },
} as const

/** More would hold the group for longer than another change should wait. */
export const changedAtOnce = 1000

const ids = {
  type: 'array',
  maxItems: changedAtOnce,
  items: { type: 'string', maxLength: 64 },
  description: 'The `user_id` of each user.',
} as const

export const changeMembersSchema = {
  $id: 'ChangeGroupMembers',
  type: 'object',
  description: 'Users to add and to remove, up to 1,000 together. All are applied in one change.',
  additionalProperties: false,
  properties: {
    add: ids,
    remove: ids,
    expires_at: { ...expiresAt, description: `${expiresAt.description} Only together with \`add\`.` },
  },
} as const

export type ChangeMembers = FromSchema<typeof changeMembersSchema>

export const setMemberSchema = {
  $id: 'SetGroupMember',
  type: 'object',
  description: 'The end date of a membership. Without a body, or with an empty one, it stays as it is.',
  additionalProperties: false,
  properties: { expires_at: expiresAt },
} as const

export type SetMember = FromSchema<typeof setMemberSchema>

const membershipProperties = {
  user_id: { type: 'string' },
  result: {
    type: 'string',
    enum: ['added', 'removed', 'changed', 'unchanged', 'refused'],
    description:
      'What happened to this id; in a dry run what would happen. `changed`: a member whose membership ends at another time than before. `unchanged`: it was so already.',
  },
  code: { type: 'string', description: 'Why this id was refused: a problem code.' },
  detail: { type: 'string', description: 'Why this id was refused, as a sentence.' },
  before: {
    type: 'object',
    additionalProperties: false,
    required: ['expires_at'],
    description: 'The former end date of a membership that was changed or removed; null: there was none.',
    properties: { expires_at: { type: ['string', 'null'], format: 'date-time' } },
  },
} as const

export const changedMembersSchema = {
  $id: 'ChangedGroupMembers',
  type: 'object',
  additionalProperties: false,
  required: ['group_id', 'member_count', 'added', 'removed', 'results'],
  properties: {
    group_id: { type: 'string', format: 'uuid' },
    member_count: { type: 'integer', minimum: 0, description: 'How many members the group has after the change.' },
    added: { type: 'integer', minimum: 0 },
    removed: { type: 'integer', minimum: 0 },
    results: {
      type: 'array',
      description: 'One result for each id, first those of `add`, then those of `remove`.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['user_id', 'result'],
        properties: membershipProperties,
      },
    },
  },
} as const

export type ChangedMembers = FromSchema<typeof changedMembersSchema>

export const membershipSchema = {
  $id: 'GroupMembership',
  type: 'object',
  additionalProperties: false,
  required: ['group_id', 'user_id', 'member', 'changed'],
  properties: {
    group_id: { type: 'string', format: 'uuid' },
    user_id: { type: 'string', format: 'uuid' },
    member: { type: 'boolean', description: 'Whether the user is a member after the change.' },
    changed: { type: 'boolean', description: 'False if it was so already, and in a dry run.' },
    expires_at: {
      type: 'string',
      format: 'date-time',
      description: 'When the membership ends. Missing: it does not end.',
    },
  },
} as const

export type Membership = FromSchema<typeof membershipSchema>

export const groupSorts = ['name', 'created_at', 'member_count'] as const

export const listGroupsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...named.listParameters('group', 'groups', groupSorts),
    role: { type: 'string', maxLength: 64, description: 'Only groups with this role.' },
    organization: {
      type: 'string',
      maxLength: 64,
      description:
        'Only groups that belong to the organization with this `organization_id`; `none`: that belong to none.',
    },
  },
} as const

export type ListGroups = FromSchema<typeof listGroupsSchema>

const { group: _, ...memberQuery } = listUsersSchema.properties

/** The query of the members: that of `GET /users`, for one group. */
export const listMembersSchema = { ...listUsersSchema, properties: memberQuery } as const

// Open objects: later releases may add members. An incompatible form would be named V2.
const user_id = { type: 'string', format: 'uuid' } as const
const { member_count: __, guest_count: ___, ...groupMembers } = groupSchema.properties

const groupEventSchema = {
  $id: 'GroupEventV1',
  description:
    '`data` of the events `group.*`. The deletion of a group ends its memberships without events of their own.',
  anyOf: [
    {
      title: 'created, updated',
      description: 'The group after the change.',
      type: 'object',
      required: ['group_id', 'name', 'description', 'external_id', 'role', 'created_at', 'updated_at'],
      properties: groupMembers,
    },
    {
      title: 'deleted',
      type: 'object',
      required: ['group_id'],
      properties: { group_id: groupMembers.group_id },
    },
    {
      title: 'member_added, member_removed',
      type: 'object',
      required: ['group_id', 'user_id'],
      properties: {
        group_id: groupMembers.group_id,
        user_id,
        expires_at: {
          type: ['string', 'null'],
          format: 'date-time',
          description:
            'When the membership ends, or ended. A member whose date was changed is announced by `member_added` again; null: it does not end any more. Missing: there is no end date.',
        },
        erased,
      },
    },
  ],
} as const

/** What has a name in the OpenAPI document. */
export const schemas = [
  groupSchema,
  createGroupSchema,
  updateGroupSchema,
  groupOfUserSchema,
  deletedGroupSchema,
  setMemberSchema,
  changeMembersSchema,
  changedMembersSchema,
  membershipSchema,
  groupEventSchema,
] as const
