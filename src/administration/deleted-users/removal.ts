/** Deletes a user that was found, and keeps what can be restored; or begins to erase it. Leaves the rules to deleted-users.ts. */

import { remove, type UserRow, userChanges, userTarget } from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import { type EndsByGroup, leaveAll } from '../groups/service.ts'
import { beginErasure } from './erasure.ts'
import { insertDeletedUser } from './store.ts'

/** `restorable_until` is null if the user cannot be restored. */
export type Removed = { user_id: string; restorable_until: string | null }

const dayMs = 86_400_000

/** Deletes a user. The caller has already checked that this is allowed. */
export async function removeFound(
  ctx: ChangeContext,
  row: UserRow,
  { graceDays, purge = false }: { graceDays: number; purge?: boolean },
): Promise<Removed> {
  const restorable_until = purge || graceDays === 0 ? null : timestamp(ctx.now + graceDays * dayMs)
  const { user_id } = row
  const left = await leaveAll(ctx, user_id)
  await remove(ctx, row)
  const data = JSON.stringify({ user_id, restorable_until })
  ctx.emit({ type: 'user.deleted', subject: user_id, owner_id: user_id, data })
  if (restorable_until === null) await beginErasure(ctx, row)
  else await storeDeleted(ctx, row, { restorable_until, ...left })
  return { user_id, restorable_until }
}

type Kept = { restorable_until: string; groupIds: readonly string[]; ends: EndsByGroup }

async function storeDeleted(
  ctx: ChangeContext,
  row: UserRow,
  { restorable_until, groupIds, ends }: Kept,
): Promise<void> {
  const { document, ...user_row } = row
  const { username_key, email_key, role, search_text, organization_id } = row
  await insertDeletedUser(ctx.db, {
    user_id: row.user_id,
    deleted_at: timestamp(ctx.now),
    restorable_until,
    document,
    user_row: JSON.stringify(user_row),
    group_ids: JSON.stringify(groupIds),
    group_ends: JSON.stringify(ends),
    username_key,
    email_key,
    role,
    search_text,
    organization_id,
  })
  const changes = userChanges(row, undefined)
  ctx.record({ action: 'user.deleted', target: userTarget(row), changes, details: { restorable_until } })
}
