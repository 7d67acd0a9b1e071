import { type CreateKey, createKeySchema } from '../../../access/credentials/keys/schema.ts'
import * as keys from '../../../access/credentials/keys/service.ts'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { Kind } from '../kind.ts'
import { sortedMembers } from './members.ts'
import { inOrganization, organizationMember, withOrganizationId } from './organization-member.ts'

const initial = { expires_at: null, organization: null } as const
const { name, permissions, expires_at } = createKeySchema.properties

/** The keys of programs. Personal keys, keys of connections, and the one of the settings are no configuration. */
export const keyKind: Kind = {
  section: 'keys',
  needs: 'keys:write',
  schema: { ...createKeySchema, properties: { name, permissions, expires_at, ...organizationMember } },
  renames: true,
  nameKey: (name) => name,

  async list(db) {
    const rows = (await keys.listKeys(db, scopeOf(system))).filter(
      (row) => row.managed === 0 && row.connection_id === null,
    )
    return rows.map((row) => {
      const { key_id, name, permissions, expires_at } = keys.toApiKey(row)
      const members = sortedMembers({ name, permissions, expires_at, organization: row.organization_id }, [
        'permissions',
      ])
      return { id: key_id, name, members, managed_by: row.managed_by }
    })
  },

  initial: () => initial,

  ...inOrganization,

  normalize({ members: { organization, ...members } }, _stored, { organizationId }) {
    const { expires_at = null } = members as CreateKey
    const instant = expires_at === null ? null : timestamp(Date.parse(expires_at))
    const own = { ...initial, ...members, expires_at: instant, organization: organizationId(organization) }
    return sortedMembers(own, ['permissions'])
  },

  async create(ctx, { members }) {
    const { key_id, key } = await keys.create(ctx, withOrganizationId(members) as unknown as CreateKey)
    return { id: key_id, secret: String(key) }
  },

  async update(ctx, { id }, { changed }) {
    await keys.change(ctx, { key_id: id, input: withOrganizationId(changed) })
  },

  async remove(ctx, { id }) {
    await keys.remove(ctx, { key_id: id })
  },

  async rotate(ctx, { id }) {
    return { secret: String((await keys.rotate(ctx, { key_id: id })).key) }
  },
}
