/**
 * What a deletion leaves: the deleted user, while it can be restored, or an erasure. Separate from service.ts because the
 * service of users calls it.
 */

import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import { userChanges, userTarget } from '../users/journal.ts'
import type { UserRow } from '../users/store.ts'
import { insertErasure } from './erasure-store.ts'
import { insertDeletedUser } from './store.ts'

/** Announces the deletion, and keeps the user until that time; without one, erases the user. */
export async function leave(ctx: ChangeContext, row: UserRow, restorable_until: string | null): Promise<void> {
  const { document, ...user_row } = row
  const { user_id } = row
  const data = JSON.stringify({ user_id, restorable_until })
  ctx.emit({ type: 'user.deleted', subject: user_id, owner_id: user_id, data })
  if (restorable_until === null) return beginErasure(ctx, user_id)
  const deleted_at = timestamp(ctx.now)
  await insertDeletedUser(ctx.db, {
    user_id,
    deleted_at,
    restorable_until,
    document,
    user_row: JSON.stringify(user_row),
  })
  const details = { restorable_until }
  ctx.record({ action: 'user.deleted', target: userTarget(row), changes: userChanges(row, undefined), details })
}

/** From here on the user cannot be restored. erasure.ts erases the remaining data step by step. */
export async function beginErasure(ctx: ChangeContext, user_id: string): Promise<void> {
  await insertErasure(ctx.db, user_id, timestamp(ctx.now))
  // On behalf of the change itself, because one change may erase several users.
  recordErasure(ctx, user_id)
  const data = JSON.stringify({ user_id })
  ctx.emit({ type: 'user.erased', subject: user_id, owner_id: user_id, data })
}

/** Without the name, because this record stays. It explains why earlier records about the user are blank. */
export function recordErasure(ctx: ChangeContext, user_id: string): void {
  ctx.recordFor(ctx, { action: 'user.erased', target: { kind: 'user', id: user_id } })
}
