/** What follows for users when a role itself changes: other permissions, or another role in its place. Leaves the roles to roles/. */

import { AppError } from '../../core/errors.ts'
import { type Rules, rolesOfGroups } from '../../core/rules.ts'
import { timestamp } from '../../lib/instant.ts'
import { revoke } from '../../record/revocations/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import * as links from '../links/service.ts'
import { emitUser, userChanges, userTarget } from './journal.ts'
import { keepPasswordAdminInGroups } from './passwordless/passwordless.ts'
import { administeringRoles } from './rights.ts'
import { withDocument } from './rows.ts'
import * as store from './store.ts'

export { countUsersWithRole as countWithRole } from './store.ts'

/**
 * After a change that takes `*` from a role, which `ctx.rules` has already: an active administrator must remain. Waits for other
 * changes that remove one.
 *
 * @throws AppError `last_admin`, `last_password_admin`
 */
export async function keepAdministrators(ctx: ChangeContext, before: Pick<Rules, 'roles'>): Promise<void> {
  await ctx.db.lock(['last_admin'])
  const hadOne = (await store.findSomeWithRole(ctx.db, administeringRoles({ rules: before }), 1)).length > 0
  if (hadOne && (await store.findSomeWithRole(ctx.db, administeringRoles(ctx), 1)).length === 0) {
    throw new AppError(
      'last_admin',
      'The last active administrators have all permissions through this role only. Make another user an administrator first.',
    )
  }
  if (hadOne) await keepPasswordAdminInGroups(ctx)
}

/** How many users are looked at in one statement. */
const atOnce = 5000

/**
 * After a change of what a role permits: access tokens, which contain the former permissions, become invalid, and sessions in which
 * holders act as others end. Other sessions and personal keys continue with the new permissions.
 *
 * @param isRaised whether the role permits more than before: then links of holders end, which less powerful callers may have made
 */
export async function renewHolders(
  ctx: ChangeContext,
  { role, isRaised }: { role: string; isRaised: boolean },
): Promise<void> {
  const isHeld = (one: Pick<store.UserRow, 'role' | 'group_roles'>) =>
    one.role === role || rolesOfGroups(one.group_roles).includes(role)
  const holdersAmong = async (ids: readonly string[]) =>
    (await store.findStandings(ctx.db, ids)).filter(isHeld).map(({ user_id }) => user_id)

  for await (const ids of pages((after) => ctx.access.listUsersWithCredentials(ctx.db, after, atOnce))) {
    await voidTokens(ctx, await holdersAmong(ids))
  }
  if (!isRaised) return
  for await (const ids of pages((after) => links.listUsersWithLinks(ctx.db, after, atOnce))) {
    for (const userId of await holdersAmong(ids)) await links.end(ctx, userId, 'role_changed')
  }
}

async function* pages(list: (after: string) => Promise<string[]>): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const ids = await list(after)
    const last = ids.at(-1)
    if (last === undefined) return
    yield ids
    after = last
  }
}

async function voidTokens(ctx: ChangeContext, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await ctx.access.endImpersonations(ctx, userIds)
  for (const { user_id, credentials_version } of await store.raiseCredentialsVersions(ctx.db, userIds)) {
    revoke(ctx, { kind: 'user', id: user_id, credentials_version })
  }
}

export type Replaced = { from: string; to: string; limit: number }

/**
 * Gives the next holders of a role another one, which permits the same: their sessions continue. Returns how many there were.
 */
export async function replaceRole(ctx: ChangeContext, { from, to, limit }: Replaced): Promise<number> {
  const rows = await store.findUsersWithRole(ctx.db, from, limit)
  for (const found of rows) {
    const moved = { ...found, role: to, version: found.version + 1, updated_at: timestamp(ctx.now) }
    const next = withDocument(moved)
    await store.updateUser(ctx.db, found, next)
    emitUser(ctx, 'user.updated', next)
    const details = { replaced_role: from }
    ctx.recordFor(ctx, {
      action: 'user.updated',
      target: userTarget(next),
      changes: userChanges(found, next),
      details,
    })
  }
  if (rows.length === 0) return 0
  const ids = rows.map(({ user_id }) => user_id)
  const signedIn = await ctx.access.findUsersWithSessions(ctx.db, ids)
  await voidTokens(ctx, [...signedIn.union(await ctx.access.findUsersWithKeys(ctx.db, ids))])
  ctx.announce({ kind: 'users_changed' })
  return rows.length
}
