/** Tells and disables users by the inactivity rule: once an hour, on one node, while the clock is trusted. */

import { AppError } from '../../core/errors.ts'
import { inactivityJob, isTooMany } from '../../core/inactivity.ts'
import { scopeOf } from '../../core/scope.ts'
import { findRowForChange, notify, update } from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext } from '../../store/context.ts'
import { isTrusted } from '../../store/jobs/clock.ts'
import type { Round } from '../../store/jobs/rounds.ts'
import { courseOfUser, isDue } from './concerned.ts'
import { findStop } from './stop.ts'
import { countActive, findIdle, setNotice } from './store.ts'

const everyMs = 3_600_000
const noticesAtOnce = 100

export async function runInactivity({ storage, request: round }: Pick<Round, 'storage' | 'request'>): Promise<void> {
  const { inactivity: policy, roles } = storage.rules
  if (policy === undefined) return
  // One id in the audit records of a run: what it disabled can be found, and enabled again.
  const request = { ...round, requestId: `inactivity-${round.now}` }
  if (!(await storage.change('inactivity.claim', undefined, request)).result) return
  const { now } = request
  const { notices, due } = await storage.query('inactivity.due', { policy, roles, now }, request)
  for (let from = 0; from < notices.length; from += noticesAtOnce) {
    await storage.change('inactivity.notice', { user_ids: notices.slice(from, from + noticesAtOnce) }, request)
  }
  const stop = await findStop(storage.db)
  const confirmedMs = stop?.confirmed_at == null ? Number.NEGATIVE_INFINITY : Date.parse(stop.confirmed_at)
  const unconfirmed = due.filter(({ disableMs }) => disableMs > confirmedMs).length
  const active_users = unconfirmed === 0 ? 0 : await countActive(storage.db, now)
  const stops = isTooMany(unconfirmed, active_users)
  for (const { user_id, disableMs } of due) {
    if (stops && disableMs > confirmedMs) continue
    await storage.change('inactivity.disable', { user_id }, request).catch((error) => {
      if (!isSparing(error)) throw error
    })
  }
  if (stops) await storage.change('inactivity.set_stop', { users: unconfirmed, active_users }, request)
  else if (stop !== undefined) await storage.change('inactivity.set_stop', null, request)
}

/** Whether this node runs now. */
export async function claim(ctx: ChangeContext): Promise<boolean> {
  return (await isTrusted(ctx.db, ctx.now)) && claimRun(ctx, inactivityJob, everyMs)
}

/** Tells users that they will be disabled. Who has returned meanwhile is not told. Without email, the notice is only noted. */
export async function notice(ctx: ChangeContext, { user_ids }: { user_ids: readonly string[] }): Promise<void> {
  const policy = ctx.rules.inactivity
  if (policy === undefined) return
  // In one order for all changes: each message holds the limit of its address.
  for (const user of await findIdle(ctx.db, user_ids)) {
    const course = courseOfUser(policy, user, ctx.now)
    if (course === undefined || course.isNoticed || course.noticeMs > ctx.now) continue
    const ends_at = timestamp(course.disableMs)
    await setNotice(ctx.db, user.user_id, { noticed_at: timestamp(ctx.now), ends_at })
    await notify(ctx, user.user_id, { kind: 'inactivity_notice', data: { time: ends_at } })
  }
}

/** Disables a user who is still due. The last administrator stays. */
export async function disable(ctx: ChangeContext, { user_id }: { user_id: string }): Promise<{ disabled: boolean }> {
  const policy = ctx.rules.inactivity
  if (policy === undefined || (await findRowForChange(ctx.db, scopeOf(ctx.actor), user_id)) === undefined)
    return { disabled: false }
  const [user] = await findIdle(ctx.db, [user_id])
  const course = user && courseOfUser(policy, user, ctx.now)
  if (user === undefined || course === undefined || !isDue(course, ctx.now)) return { disabled: false }
  const since = course.lastUseMs === undefined ? user.created_at : timestamp(course.lastUseMs)
  await update(ctx, {
    user_id,
    input: { active: false },
    expected: undefined,
    ...(user.managed_by !== null && { override: true }),
    details: { reason: 'inactivity', inactive_since: since },
  })
  return { disabled: true }
}

/** Rules that keep a user's access, whatever the inactivity rule says. */
function isSparing(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'last_admin' || error.code === 'last_password_admin')
}
