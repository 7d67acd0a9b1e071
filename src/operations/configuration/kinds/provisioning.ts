import * as keys from '../../../access/credentials/keys/service.ts'
import * as provisioning from '../../../access/providers/provisioning/service.ts'
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import { type CreateConnection, createConnectionSchema } from '../../../directory/provisioning/schema.ts'
import { connectionName, listRows } from '../../../directory/provisioning/service.ts'
import type { Kind } from '../kind.ts'
import { expectedOf, nameKeyOf } from './members.ts'
import { inOrganization, organizationMember, withOrganizationId } from './organization-member.ts'

const initial = { profile: 'strict', end_date_attribute: null, organization: null } as const
// `expires_at` is that of the first key, which may have been replaced.
const { name, profile, end_date_attribute } = createConnectionSchema.properties

export const provisioningKind: Kind = {
  section: 'provisioning',
  needs: 'provisioning:write',
  schema: { ...createConnectionSchema, properties: { name, profile, end_date_attribute, ...organizationMember } },
  renames: true,
  nameKey: nameKeyOf,

  async list(db) {
    const rows = await listRows(db, scopeOf(system))
    return rows.map(({ connection_id, name, profile, end_date_attribute, managed_by, version, organization_id }) => ({
      id: connection_id,
      name,
      members: { name, profile, end_date_attribute, organization: organization_id },
      managed_by,
      version,
    }))
  },

  initial: () => initial,

  ...inOrganization,

  normalize: ({ members: { organization, ...members } }, _stored, { organizationId }) => ({
    ...initial,
    ...members,
    name: connectionName(String(members.name)).name,
    organization: organizationId(organization),
  }),

  async create(ctx, { members }) {
    const { connection, key } = await provisioning.create(
      ctx,
      withOrganizationId(members) as unknown as CreateConnection,
    )
    return { id: connection.connection_id, secret: key }
  },

  async update(ctx, { id, version }, { changed }) {
    const input = withOrganizationId(changed) as { name?: string }
    await provisioning.update(ctx, { connection_id: id, input, expected: expectedOf(version) })
  },

  async remove(ctx, { id, version }) {
    await provisioning.remove(ctx, { connection_id: id, expected: expectedOf(version) })
  },

  /** Its only key, or another one: which of several is in use is not known. */
  async rotate(ctx, { id, name }) {
    const own = (await keys.listKeys(ctx.db, scopeOf(ctx.actor))).filter(
      ({ connection_id, expires_at }) =>
        connection_id === id && (expires_at === null || Date.parse(expires_at) > ctx.now),
    )
    const [only, ...others] = own
    const { key } =
      only !== undefined && others.length === 0
        ? await keys.rotate(ctx, { key_id: only.key_id })
        : await keys.create(ctx, { name, permissions: ['scim:write'], connection_id: id })
    return { secret: String(key) }
  },
}
