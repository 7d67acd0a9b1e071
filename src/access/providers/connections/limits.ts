/**
 * What a connection may reach that an organization sets up itself: its own users, none of them with more permissions than the administrators who
 * set it up, roles and groups that these could give, and addresses in domains that the organization has proved.
 */
import { findGroup, refuseUngrantableGroup } from '../../../administration/groups/service.ts'
import { type Actor, system } from '../../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import type { Rules } from '../../../core/rules.ts'
import { scopeOf } from '../../../core/scope.ts'
import { verifiedDomainsOf } from '../../../directory/organizations/service.ts'
import { mayChange, refuseBeyondCaller, type UserRow } from '../../../directory/users/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import { listStandings } from './identities-store.ts'
import type { AllSettings } from './settings.ts'
import type { ConnectionRow } from './store.ts'

/** Stored with the connection that a limited caller changes; null for other callers. */
export function limitsOf({ actor }: Pick<Context, 'actor'>): string | null {
  return actor.limitedTo === undefined ? null : JSON.stringify(actor.permissions)
}

type Limited = Pick<ConnectionRow, 'organization_id' | 'limited_permissions'>

/**
 * The caller in whose name a connection changes users. It has no rank of its own: what it may give was decided when an administrator wrote the
 * mapping. What an organization set up has that of its administrator, so that a role that grew since is not given.
 */
export function actorOf({ organization_id, limited_permissions }: Limited): Actor {
  if (limited_permissions === null || organization_id === null) return system
  return { ...system, permissions: JSON.parse(limited_permissions), limitedTo: organization_id }
}

/** Whether the user has more permissions than the administrators who set the connection up: they could become the user. */
export function isBeyondLimits(rules: Pick<Rules, 'roles'>, connection: Limited, user: UserRow): boolean {
  const actor = actorOf(connection)
  return actor !== system && !mayChange({ actor, rules }, user)
}

/** For a connection that is deleted: whatever domains it has. */
export const noDomains = { domains: [], trusted_domains: [], provisioning_domains: [] }

/** To a limited caller. @throws AppError `role_not_grantable`, `validation_failed` */
export async function refuseBeyondOrganization(
  ctx: ChangeContext,
  before: AllSettings | undefined,
  next: AllSettings,
): Promise<void> {
  const { limitedTo } = ctx.actor
  if (limitedTo === undefined) return
  for (const settings of before === undefined ? [next] : [before, next]) {
    for (const role of [settings.default_role, ...Object.values(settings.roles)]) refuseBeyondCaller(ctx, role)
    for (const id of new Set(Object.values(settings.groups))) {
      const group = await findGroup(ctx.db, scopeOf(ctx.actor), id)
      if (group !== undefined) refuseUngrantableGroup(ctx, group)
      else if (settings === before) throw new AppError('role_not_grantable', ungrantableGroup)
    }
  }
  const verified = await verifiedDomainsOf(ctx.db, limitedTo)
  const faults = (['domains', 'trusted_domains', 'provisioning_domains'] as const).flatMap((member) =>
    next[member].flatMap((domain, index) => {
      if (verified.includes(domain) || before?.[member].includes(domain)) return []
      return [memberFault(member, 'domain_not_verified', 'Verify this domain for the organization first.', index)]
    }),
  )
  if (faults.length > 0) throw validationFailed(faults)
}

const ungrantableGroup = 'The connection gives a group that you cannot give. Ask an administrator of the service.'

/** To a limited caller, who could become the users who are linked. @throws AppError `user_outranks_caller` */
export async function refuseOutrankedByLinked(
  ctx: ChangeContext,
  { connection_id }: Pick<ConnectionRow, 'connection_id'>,
): Promise<void> {
  if (ctx.actor.limitedTo === undefined) return
  const standings = await listStandings(ctx.db, connection_id)
  if (standings.every((standing) => mayChange(ctx, standing))) return
  const detail = 'A user who signs in through this connection has permissions that your credential lacks.'
  throw new AppError('user_outranks_caller', detail)
}
