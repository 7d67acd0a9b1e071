/** Reminds reviewers of a review with open rows, by email: 7 days and 1 day before it is due. */
import * as users from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext } from '../../store/context.ts'
import { reminders } from './reminder-times.ts'
import { countsOf, reviewersOf } from './reviews.ts'
import * as store from './store.ts'

const remindedAtOnce = 10

/** Without email nothing is marked as sent. Returns whether there may be more. */
export async function remind(ctx: ChangeContext): Promise<boolean> {
  if (!ctx.rules.sendsMail) return false
  // Two nodes would send it twice.
  await ctx.db.lock(['reviews'])
  let hasMore = false
  for (const { number, beforeMs } of reminders) {
    const [now, until] = [timestamp(ctx.now), timestamp(ctx.now + beforeMs)]
    const due = await store.listUnreminded(ctx.db, { now, until, reminders: number, limit: remindedAtOnce })
    for (const review of due) {
      if ((await countsOf(ctx.db, review.review_id)).open > 0) await sendTo(ctx, review)
      await store.updateReview(ctx.db, { ...review, reminders: number })
    }
    hasMore ||= due.length === remindedAtOnce
  }
  return hasMore
}

async function sendTo(ctx: ChangeContext, review: store.StoredReview): Promise<void> {
  const message = { kind: 'review_due', data: { review: review.name, time: review.due_at } } as const
  const named = await reviewersOf(ctx, review)
  // In one order for all changes: each message holds the limit of its address.
  for (const userId of named.toSorted()) await users.notify(ctx, userId, message)
  if (named.length === 0) await users.notifyHolders(ctx, 'reviews:write', message)
}
