/** What follows for users when their organization is disabled or enabled. Leaves refusing them meanwhile to access-state.ts. */

import { AppError } from '../../core/errors.ts'
import { timestamp } from '../../lib/instant.ts'
import { revoke } from '../../record/revocations/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import * as links from '../links/service.ts'
import { keepPasswordAdminInGroups } from './passwordless/passwordless.ts'
import { administeringRoles } from './rights.ts'
import * as store from './store.ts'

/** How many users are looked at in one statement. */
const atOnce = 5000

/**
 * After an organization was disabled: sessions, access tokens and links of its users end. Their keys are refused as long as it is disabled.
 *
 * @throws AppError `last_admin`, `last_password_admin`
 */
export async function closeOrganization(ctx: ChangeContext, organizationId: string): Promise<void> {
  await keepAdministratorsElsewhere(ctx, organizationId)
  for await (const ids of pagesOf(ctx, organizationId)) {
    const signedIn = await ctx.access.findUsersToSignOut(ctx.db, ids)
    // In the order in which every change holds several users.
    for (const user_id of [...signedIn].sort()) await ctx.access.endSessions(ctx, { user_id })
    const begun = await ctx.access.findUsersWithChallenges(ctx.db, ids)
    const known = [...signedIn.union(begun).union(await ctx.access.findUsersWithKeys(ctx.db, ids))]
    if (known.length > 0) {
      for (const { user_id, credentials_version } of await store.raiseCredentialsVersions(ctx.db, known)) {
        revoke(ctx, { kind: 'user', id: user_id, credentials_version })
      }
    }
    for (const userId of await links.findUsersWithLinks(ctx.db, ids)) await links.end(ctx, userId, 'disabled')
  }
}

/** After an organization was enabled again: the time in between does not count for an inactivity rule, of now or later. */
export async function openOrganization(ctx: ChangeContext, organizationId: string): Promise<void> {
  await store.setEnabledAt(ctx.db, organizationId, timestamp(ctx.now))
}

async function* pagesOf(ctx: ChangeContext, organizationId: string): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const ids = await store.listIdsOfOrganization(ctx.db, organizationId, { after, limit: atOnce })
    const last = ids.at(-1)
    if (last === undefined) return
    yield ids
    after = last
  }
}

/** Waits for other changes that remove an administrator. */
async function keepAdministratorsElsewhere(ctx: ChangeContext, organizationId: string): Promise<void> {
  await ctx.db.lock(['last_admin'])
  const roles = administeringRoles(ctx)
  if ((await store.findSomeWithRole(ctx.db, roles, 1, { alsoOf: organizationId })).length === 0) return
  if ((await store.findSomeWithRole(ctx.db, roles, 1)).length === 0) {
    const detail =
      'The last active administrators belong to this organization. Make another user an administrator first.'
    throw new AppError('last_admin', detail)
  }
  await keepPasswordAdminInGroups(ctx)
}
