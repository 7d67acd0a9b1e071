/**
 * What happens once when an end date has come. The access has ended before, by comparison (access-state.ts): this writes the event and
 * the record, and removes what must not come back with a later date.
 */
import { scopeOf } from '../../../core/scope.ts'
import { timestamp } from '../../../lib/instant.ts'
import { revoke } from '../../../record/revocations/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { isTrusted } from '../../../store/jobs/clock.ts'
import type { ChangeRequest, Storage } from '../../../store/storage/storage.ts'
import * as links from '../../links/service.ts'
import { hasExpired } from '../access-state.ts'
import { emitUser, userTarget } from '../journal.ts'
import * as store from '../store.ts'
import { changeEnd, listDueEnds } from './store.ts'

/** A larger transaction would delay others. */
const endsAtOnce = 100

/** Records every end that has come, unless the clock has jumped. */
export async function recordDueEnds(storage: Storage, request: ChangeRequest): Promise<void> {
  while ((await listDueEnds(storage.db, timestamp(request.now), 1)).length > 0) {
    const { result } = await storage.change('users.record_ends', undefined, request)
    if (result.recorded === 0) return
  }
}

/** Records some of the ends that have come. */
export async function recordEnds(ctx: ChangeContext): Promise<{ recorded: number }> {
  if (!(await isTrusted(ctx.db, ctx.now))) return { recorded: 0 }
  // One node at a time.
  await ctx.db.lock(['user ends'])
  const due = await listDueEnds(ctx.db, timestamp(ctx.now), endsAtOnce)
  // In the order in which every change holds several users.
  for (const userId of due.toSorted()) await recordEnd(ctx, userId)
  return { recorded: due.length }
}

async function recordEnd(ctx: ChangeContext, userId: string): Promise<void> {
  const found = await store.findUserForChange(ctx.db, scopeOf(ctx.actor), userId)
  // Another change came first, which wrote the row of the end as well.
  if (found === undefined || found.end_recorded === 1 || !hasExpired(found, ctx.now)) return
  const next = { ...found, end_recorded: 1, credentials_version: found.credentials_version + 1 }
  await store.updateUser(ctx.db, found, next)
  await changeEnd(ctx.db, found, next)
  await ctx.access.endSessions(ctx, { user_id: userId })
  await links.end(ctx, userId, 'disabled')
  revoke(ctx, { kind: 'user', id: userId, credentials_version: next.credentials_version })
  emitUser(ctx, 'user.expired', next)
  ctx.recordFor(ctx, { action: 'user.expired', target: userTarget(next), details: { expires_at: next.access_ends_at } })
  ctx.announce({ kind: 'users_changed' })
}
