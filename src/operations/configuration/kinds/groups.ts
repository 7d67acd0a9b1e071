import { type CreateGroup, createGroupSchema } from '../../../administration/groups/schema.ts'
import * as groups from '../../../administration/groups/service.ts'
import { system } from '../../../core/actor.ts'
import { validationFailed } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import type { Kind, Members } from '../kind.ts'
import { nameKeyOf, unknownName } from './members.ts'
import { inOrganization, organizationMember, withOrganizationId } from './organization-member.ts'

const { organization_id: _, ...properties } = createGroupSchema.properties

const initial = { description: '', external_id: null, role: null, organization: null } as const

export const groupKind: Kind = {
  section: 'groups',
  needs: 'groups:write',
  schema: { ...createGroupSchema, properties: { ...properties, ...organizationMember } },
  renames: true,
  nameKey: nameKeyOf,

  async list(db) {
    const rows = await groups.listAll(db, scopeOf(system), {})
    return rows.map(({ group_id, name, name_key, description, external_id, role, managed_by, organization_id }) => ({
      id: group_id,
      name,
      key: name_key,
      members: { name, description, external_id, role, organization: organization_id },
      managed_by,
    }))
  },

  initial: () => initial,

  ...inOrganization,

  normalize({ members: { organization, ...members } }, _stored, { rules, organizationId }) {
    const { role } = members
    const known = Object.keys(rules.roles)
    if (typeof role === 'string' && !known.includes(role)) {
      throw validationFailed([unknownName('role', role, { member: 'role', known })])
    }
    const { name_key: _, ...checked } = groups.checkGroupInput(members as CreateGroup, rules.roles)
    return { ...initial, ...checked, organization: organizationId(organization) }
  },

  async create(ctx, { members }) {
    const { group } = await groups.create(ctx, inputOf(members, ctx.rules.roles))
    return { id: group.group_id }
  },

  // The version of a group also counts its members.
  async update(ctx, { id }, { changed }) {
    await groups.update(ctx, { group_id: id, input: inputOf(changed, ctx.rules.roles), expected: undefined })
  },

  async remove(ctx, { id }) {
    await groups.remove(ctx, { group_id: id, expected: undefined })
  },
}

function inputOf(members: Members, roles: Readonly<Record<string, unknown>>): groups.GroupInput {
  return groups.checkGroupInput(withOrganizationId(members) as CreateGroup, roles)
}
