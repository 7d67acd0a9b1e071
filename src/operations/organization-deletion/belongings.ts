/**
 * Deletes an organization with its groups, keys and connections, in one transaction. Its users are gone by then: deletion.ts deletes them
 * before. Nothing that belonged to it may stay without an owner, because it would then be open to the whole deployment.
 */
import * as keys from '../../access/credentials/keys/service.ts'
import * as connections from '../../access/providers/connections/service.ts'
import * as provisioning from '../../access/providers/provisioning/service.ts'
import * as groups from '../../administration/groups/service.ts'
import { AppError } from '../../core/errors.ts'
import type { ExpectedVersion } from '../../core/expected-version.ts'
import { permits, scopeOf } from '../../core/scope.ts'
import * as organizations from '../../directory/organizations/service.ts'
import { listRows as listProvisioning } from '../../directory/provisioning/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import * as store from './store.ts'

type Removal = {
  organization_id: string
  expected: ExpectedVersion
  override: boolean
  /** Its users are still there: nothing is to stay of this change, which is a dry run. */
  isRehearsal: boolean
}

/** What belongs to an organization besides its users. `guest_count`: users from elsewhere in its groups, who lose these memberships. */
export type Belongings = {
  organization_id: string
  group_count: number
  key_count: number
  connection_count: number
  guest_count: number
}

/**
 * @throws AppError `organization_not_found`, `precondition_failed`, `managed_elsewhere`, `permission_denied`, `organization_not_empty` if
 *   users belong to it, and as deletions of groups, keys and connections are refused
 */
export async function removeWithBelongings(
  ctx: ChangeContext,
  { organization_id, expected, override, isRehearsal }: Removal,
): Promise<Belongings> {
  // Each has its own audit record.
  const each: ChangeContext = { ...ctx, record: (entry) => ctx.recordFor(ctx, entry) }
  await organizations.getForRemoval(each, { organization_id, expected, override })
  if (isRehearsal) {
    await refuseManagedUsers(each, organization_id, override)
    // As it will be: an administrator must be left who neither belongs to it nor has the role from one of its groups.
    await organizations.update(each, { organization_id, input: { active: false }, expected: undefined, override })
  } else {
    await organizations.refuseUsers(each.db, organization_id)
  }
  const found = await findBelongings(each, organization_id)
  const { guest_count, companies, provisioners, programs } = found
  for (const { group_id } of found.groups) await groups.remove(each, { group_id, expected: undefined, override })
  for (const { connection_id } of companies) {
    await connections.remove(each, { connection_id, expected: undefined, override })
  }
  for (const { connection_id } of provisioners) {
    await provisioning.remove(each, { connection_id, expected: undefined, override })
  }
  for (const { key_id } of programs) await keys.remove(each, { key_id, override })
  await organizations.removeEmpty(each, { organization_id, expected: undefined, override })
  return {
    organization_id,
    group_count: found.groups.length,
    key_count: programs.length,
    connection_count: companies.length + provisioners.length,
    guest_count,
  }
}

/** @throws AppError `permission_denied` */
async function findBelongings(ctx: ChangeContext, organization_id: string) {
  const scope = scopeOf(ctx.actor)
  const isOwned = (row: { organization_id: string | null }) => row.organization_id === organization_id
  const found = {
    groups: await groups.listAll(ctx.db, scope, { organization_id }),
    companies: (await connections.listRows(ctx.db, scope)).filter(isOwned),
    provisioners: (await listProvisioning(ctx.db, scope)).filter(isOwned),
    // Those of provisioning connections go with these.
    programs: (await keys.listKeys(ctx.db, scope)).filter((row) => isOwned(row) && row.connection_id === null),
  }
  refuseWithout(ctx, 'groups:write', found.groups)
  refuseWithout(ctx, 'connections:write', found.companies)
  refuseWithout(ctx, 'provisioning:write', found.provisioners)
  refuseWithout(ctx, 'keys:write', found.programs)
  return { ...found, guest_count: await store.countGuests(ctx.db, organization_id) }
}

/** @throws AppError `permission_denied` */
function refuseWithout({ actor }: ChangeContext, permission: string, found: readonly unknown[]): void {
  if (found.length === 0 || permits(actor, permission)) return
  throw new AppError('permission_denied', `You need the permission ${permission} for what belongs to the organization.`)
}

/** Its own provisioning connections go with it, so only those from elsewhere would create the users again. @throws AppError `managed_elsewhere` */
async function refuseManagedUsers({ db }: ChangeContext, organizationId: string, override: boolean): Promise<void> {
  if (override) return
  const count = await store.countManagedFromElsewhere(db, organizationId)
  if (count === 0) return
  const who = count === 1 ? 'A user' : `${count} users`
  const detail = `${who} of this organization are managed by a provisioning connection that belongs elsewhere. Delete them there, or use override=true (--override on the command line).`
  throw new AppError(
    'managed_elsewhere',
    detail.replace('A user of this organization are', 'A user of this organization is'),
  )
}
