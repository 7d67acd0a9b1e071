/** Notices of ends that come, of users and of memberships: to the user 7 days and 1 day before, and to administrators in one digest a day. */
import { scopeOf } from '../../../core/scope.ts'
import { timestamp } from '../../../lib/instant.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { ChangeRequest, Storage } from '../../../store/storage/storage.ts'
import { hasAccess } from '../access-state.ts'
import { notify, notifyHolders } from '../notice.ts'
import { findUserById } from '../store.ts'
import {
  listUndigested,
  listUndigestedMemberships,
  listUnnoticed,
  listUnnoticedMemberships,
  setDigested,
  setMembershipNoticed,
  setNoticed,
} from './store.ts'

const dayMs = 86_400_000
/** The last day first: whoever gets a date within a day is told once. */
const notices = [
  { number: 2, beforeMs: dayMs },
  { number: 1, beforeMs: 7 * dayMs },
] as const
const noticesAtOnce = 100
/** More names would be a list rather than a message. */
const mostNames = 20

export async function noticeEnds(storage: Storage, request: ChangeRequest): Promise<void> {
  while ((await storage.change('users.notice_ends', undefined, request)).result.hasMore);
}

/** Tells users, and once a day administrators. Without email nothing is marked as told. */
export async function sendEndNotices(ctx: ChangeContext): Promise<{ hasMore: boolean }> {
  if (!ctx.rules.sendsMail) return { hasMore: false }
  // One node at a time.
  await ctx.db.lock(['user ends'])
  let hasMore = false
  for (const { number, beforeMs } of notices) {
    const [now, until] = [timestamp(ctx.now), timestamp(ctx.now + beforeMs)]
    const due = await listUnnoticed(ctx.db, { now, until, notices: number, limit: noticesAtOnce })
    // In one order for all changes: each message holds the limit of its address.
    for (const { user_id, expires_at } of due.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))) {
      const user = await findUserById(ctx.db, scopeOf(ctx.actor), user_id)
      if (user?.active === 1) await notify(ctx, user_id, { kind: 'access_ending', data: { time: expires_at } })
      await setNoticed(ctx.db, user_id, number)
    }
    const memberships = await listUnnoticedMemberships(ctx.db, { now, until, notices: number, limit: noticesAtOnce })
    for (const end of memberships.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))) {
      const user = await findUserById(ctx.db, scopeOf(ctx.actor), end.user_id)
      const data = { time: end.expires_at, group: end.name }
      if (user && hasAccess(user, ctx)) await notify(ctx, end.user_id, { kind: 'membership_ending', data })
      await setMembershipNoticed(ctx.db, end, number)
    }
    hasMore ||= due.length === noticesAtOnce || memberships.length === noticesAtOnce
  }
  if (!hasMore) await sendDigest(ctx)
  return { hasMore }
}

async function sendDigest(ctx: ChangeContext): Promise<void> {
  const now = timestamp(ctx.now)
  const memberships = await listUndigestedMemberships(ctx.db, now)
  const coming = [
    ...(await listUndigested(ctx.db, now)),
    ...memberships.map((end) => ({ ...end, username: `${end.username} (${end.name})` })),
  ].toSorted((a, b) => (a.expires_at < b.expires_at ? -1 : 1))
  if (coming.length === 0 || !(await claimRun(ctx, 'users.end_digest', dayMs))) return
  const names = coming.slice(0, mostNames).map(({ username, expires_at }) => `${username}: ${inUtc(expires_at)}`)
  const more = coming.length > mostNames ? [`… (+${coming.length - mostNames})`] : []
  await notifyHolders(ctx, 'users:write', { kind: 'access_endings', data: { users: [...names, ...more].join('; ') } })
  await setDigested(ctx.db)
}

/** 2026-12-31 23:59 UTC */
function inUtc(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`
}
