/**
 * What the deletion of a user leaves: the user, for as long as it can be undone, or an erasure. Apart from service.ts,
 * because the service of users calls it.
 */

import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import { userChanges, userTarget } from '../users/journal.ts'
import type { UserRow } from '../users/store.ts'
import { insertErasure } from './erasure-store.ts'
import { insertDeletedUser } from './store.ts'

/** Tells of the deletion, and keeps the user until then; erases when there is no such time. */
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

/** From here on nothing of this user can come back. What is left of them elsewhere is erased step by step: erasure.ts. */
export async function beginErasure(ctx: ChangeContext, user_id: string): Promise<void> {
  await insertErasure(ctx.db, user_id, timestamp(ctx.now))
  // On behalf of the change itself, because one change may erase several.
  recordErasure(ctx, user_id)
  const data = JSON.stringify({ user_id })
  ctx.emit({ type: 'user.erased', subject: user_id, owner_id: user_id, data })
}

/** Without the name: this record stays as it is. It says of those before it why what they said of the person is gone. */
export function recordErasure(ctx: ChangeContext, user_id: string): void {
  ctx.recordFor(ctx, { action: 'user.erased', target: { kind: 'user', id: user_id } })
}
