/** Whose an account is: of the person who has signed in to it, or can, or still of no one. */

import { findGroup } from '../../../administration/groups/service.ts'
import { system } from '../../../core/actor.ts'
import { holds, permissionsOfRole, permissionsOfUser, type Rules } from '../../../core/rules.ts'
import { scopeOf } from '../../../core/scope.ts'
import { administeringRoles, domainIn, type UserRow } from '../../../directory/users/service.ts'
import { instantIn } from '../../../lib/uuidv7.ts'
import type { Context } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import { hasFactor } from '../../credentials/factors/service.ts'
import { findUsersWithKeys } from '../../credentials/keys/service.ts'
import { listIdentitiesOf } from './identities-store.ts'
import { type Settings, settingsOf } from './settings.ts'
import { listActive } from './store.ts'

/** What a decision about a person reads. */
export type Judging = Pick<Context, 'db' | 'now'> & { rules: Pick<Rules, 'roles' | 'disabledOrganizations'> }

/**
 * Whether no one has this account yet: SCIM, an import or an administrator made it, and there is nothing to sign in with, and
 * never was.
 */
export async function isUnowned(db: Db, user: UserRow): Promise<boolean> {
  if (user.password_hash !== null || hasSignedInHere(user)) return false
  const [identities, isProtected, withKeys] = await Promise.all([
    listIdentitiesOf(db, user.user_id),
    hasFactor(db, user.user_id),
    findUsersWithKeys(db, [user.user_id]),
  ])
  return identities.length === 0 && !isProtected && withKeys.size === 0
}

/** An import brings the time of a sign-in at the system before: it is older than the id, which is made here. */
function hasSignedInHere({ user_id, last_login_at }: UserRow): boolean {
  if (last_login_at === null) return false
  const madeMs = instantIn(user_id)
  return madeMs === undefined || Date.parse(last_login_at) >= madeMs
}

/** Whether the user holds nothing that a mapping of this connection could not give to a new user. */
export async function couldGive({ db, rules }: Judging, settings: Settings, user: UserRow): Promise<boolean> {
  const administering = administeringRoles({ rules })
  // The mapping gives them to whoever signs in.
  const ids = [...new Set(Object.values(settings.groups))]
  const groups = await Promise.all(ids.map((id) => findGroup(db, scopeOf(system), id)))
  // A group that administers by now is not given by a mapping.
  const ofGroups = groups.flatMap((group) => group?.role ?? []).filter((role) => !administering.includes(role))
  const roles = [settings.default_role, ...Object.values(settings.roles), ...ofGroups]
  const granted = roles.flatMap((role) => permissionsOfRole(rules.roles, role))
  return permissionsOfUser(rules.roles, user).every((permission) => holds(granted, permission))
}

/**
 * Whether the mailbox of the user's address may belong to another person by now: companies give an address to the next
 * person, so a link that sets a password must not go there. True of users who have a company to sign in through and no
 * password, and of an address that the company may vouch for and does not.
 */
export async function isMailboxInDoubt(db: Db, user: UserRow): Promise<boolean> {
  const identities = await listIdentitiesOf(db, user.user_id)
  if (identities.length === 0) return false
  const linked = new Set(identities.map(({ connection_id }) => connection_id))
  const active = (await listActive(db, { connection_ids: [...linked] })).filter(({ connection_id }) =>
    linked.has(connection_id),
  )
  if (active.length === 0) return false
  if (user.password_hash === null) return true
  const domain = domainIn(user.email ?? '')
  if (user.email_verified === 1 || domain === undefined) return false
  return active.some((one) => settingsOf(one).trusted_domains.includes(domain))
}
