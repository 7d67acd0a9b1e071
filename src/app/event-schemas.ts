/** The schema of each event's `data`. It reuses the schemas of users, groups, sessions, keys and roles, so it lives above them. */

import { factorSchema } from '../access/credentials/factors/schema.ts'
import { apiKeySchema } from '../access/credentials/keys/schema.ts'
import { sessionSchema } from '../access/credentials/sessions/schema.ts'
import { identitySchema, signInConnectionSchema } from '../access/providers/connections/schema.ts'
import { attributeSchema } from '../directory/attributes/schema.ts'
import { groupSchema } from '../directory/groups/schema.ts'
import { roleSchema } from '../directory/roles/schema.ts'
import { userSchema } from '../directory/users/schema.ts'

const erased = {
  const: true,
  description:
    'The user was erased, and with them the personal data of this event. Receivers do not need to act on it.',
} as const

// Open objects: later releases may add members. An incompatible form would be named V2.
const { user_id, session_id, created_at, expires_at, address, user_agent, amr, auth_time } = sessionSchema.properties
const { factor_id, kind, name } = factorSchema.properties
const { last_used_at: _, managed: __, ...keyProperties } = apiKeySchema.properties
const { role, permissions } = roleSchema.properties

const userEventSchema = {
  $id: 'UserEventV1',
  description: '`data` of the events `user.*`.',
  anyOf: [
    {
      title: 'created, updated, signed_in, restored',
      description: 'The user after the change.',
      type: 'object',
      required: userSchema.required,
      properties: userSchema.properties,
    },
    {
      title: 'deleted',
      type: 'object',
      required: ['user_id', 'restorable_until'],
      properties: {
        user_id,
        restorable_until: {
          type: ['string', 'null'],
          format: 'date-time',
          description: 'Until then the deletion can be undone. Null: it cannot be undone.',
        },
      },
    },
    {
      title: 'erased',
      description: 'Receivers that store data of this user must erase it too.',
      type: 'object',
      required: ['user_id'],
      properties: { user_id, erased },
    },
  ],
} as const

const { $id: ____, ...attributeDefinition } = attributeSchema
const { member_count: ___, ...groupProperties } = groupSchema.properties

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
      properties: groupProperties,
    },
    {
      title: 'deleted',
      type: 'object',
      required: ['group_id'],
      properties: { group_id: groupProperties.group_id },
    },
    {
      title: 'member_added, member_removed',
      type: 'object',
      required: ['group_id', 'user_id'],
      properties: { group_id: groupProperties.group_id, user_id, erased },
    },
  ],
} as const

const factorEventSchema = {
  $id: 'FactorEventV1',
  description: '`data` of the events `factor.*`. It never contains a secret.',
  anyOf: [
    {
      title: 'added, renamed',
      type: 'object',
      required: ['factor_id', 'user_id', 'kind', 'name', 'created_at'],
      properties: { factor_id, user_id, kind, name, created_at },
    },
    {
      title: 'removed',
      type: 'object',
      required: ['factor_id', 'user_id'],
      properties: { factor_id, user_id, erased },
    },
  ],
} as const

const connectionMembers = signInConnectionSchema.properties

const connectionEventSchema = {
  $id: 'ConnectionEventV1',
  description:
    '`data` of the events `connection.*`. It never contains a secret. The deletion of a connection removes its identities without events of their own.',
  anyOf: [
    {
      title: 'created, updated',
      type: 'object',
      required: ['connection_id', 'kind', 'preset', 'name', 'active', 'position', 'domains', 'unlinked'],
      properties: {
        connection_id: connectionMembers.connection_id,
        kind: connectionMembers.kind,
        preset: connectionMembers.preset,
        name: connectionMembers.name,
        active: connectionMembers.active,
        position: connectionMembers.position,
        domains: connectionMembers.domains,
        trusted_domains: connectionMembers.trusted_domains,
        provisioning_domains: connectionMembers.provisioning_domains,
        unlinked: {
          type: 'integer',
          minimum: 0,
          description: 'How many identities the change removed, without events of their own.',
        },
        created_at: connectionMembers.created_at,
        updated_at: connectionMembers.updated_at,
      },
    },
    {
      title: 'deleted',
      type: 'object',
      required: ['connection_id'],
      properties: { connection_id: connectionMembers.connection_id },
    },
  ],
} as const

const identityMembers = identitySchema.properties

const identityEventSchema = {
  $id: 'IdentityEventV1',
  description: '`data` of the events `identity.*`: an account of a company was linked to a user, or is no longer.',
  anyOf: [
    {
      title: 'linked',
      type: 'object',
      required: ['identity_id', 'user_id', 'connection_id', 'subject', 'email', 'linked_by', 'created_at'],
      properties: {
        identity_id: identityMembers.identity_id,
        user_id,
        connection_id: identityMembers.connection_id,
        subject: identityMembers.subject,
        email: identityMembers.email,
        linked_by: identityMembers.linked_by,
        created_at: identityMembers.created_at,
      },
    },
    {
      title: 'removed',
      type: 'object',
      required: ['identity_id', 'user_id'],
      properties: {
        identity_id: identityMembers.identity_id,
        user_id,
        connection_id: identityMembers.connection_id,
        erased,
      },
    },
  ],
} as const

const attributeEventSchema = {
  $id: 'AttributeEventV1',
  description:
    '`data` of the events `attribute.*`. The deletion removes the values of users without events of their own.',
  anyOf: [
    { title: 'created, updated', ...attributeDefinition },
    {
      title: 'deleted',
      type: 'object',
      required: ['name', 'values_removed'],
      properties: {
        name: attributeDefinition.properties.name,
        values_removed: { type: 'integer', minimum: 0, description: 'The number of users who lost a value.' },
      },
    },
  ],
} as const

const sessionEventSchema = {
  $id: 'SessionEventV1',
  description: '`data` of the events `session.*`.',
  anyOf: [
    {
      title: 'created',
      type: 'object',
      required: ['session_id', 'user_id', 'created_at', 'expires_at', 'address', 'user_agent'],
      properties: {
        session_id,
        user_id,
        created_at,
        expires_at,
        address,
        user_agent,
        amr,
        auth_time,
        act: {
          type: 'object',
          description: 'An administrator acts as the user: their `user_id`.',
          required: ['sub'],
          properties: { sub: { type: 'string', format: 'uuid' } },
        },
      },
    },
    {
      title: 'ended',
      type: 'object',
      required: ['session_id', 'user_id'],
      properties: { session_id, user_id, erased },
    },
  ],
} as const

const keyEventSchema = {
  $id: 'KeyEventV1',
  description: '`data` of the events `key.*`. It never contains the key itself.',
  anyOf: [
    {
      title: 'created, rotated',
      type: 'object',
      required: ['key_id', 'prefix', 'name', 'permissions', 'created_at', 'expires_at'],
      properties: keyProperties,
    },
    {
      title: 'revoked',
      type: 'object',
      required: ['key_id'],
      properties: { key_id: keyProperties.key_id, user_id: keyProperties.user_id, erased },
    },
  ],
} as const

const roleEventSchema = {
  $id: 'RoleEventV1',
  description: '`data` of the events `role.*`: the permissions of the role, or its last permissions if it was removed.',
  type: 'object',
  required: ['role', 'permissions'],
  properties: { role, permissions },
} as const

export const eventDataSchemas = [
  userEventSchema,
  groupEventSchema,
  factorEventSchema,
  connectionEventSchema,
  identityEventSchema,
  attributeEventSchema,
  sessionEventSchema,
  keyEventSchema,
  roleEventSchema,
]
