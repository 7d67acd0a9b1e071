/** Access reviews: freezing the rows, reading them, and closing with a seal. Decisions are in decisions.ts. */

import type { Actor } from '../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { holds, permissionsOfUser } from '../../core/rules.ts'
import { scopeOf } from '../../core/scope.ts'
import * as users from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { announce } from './journal.ts'
import { remindersBefore } from './reminder-times.ts'
import {
  type CreateReview,
  mostRows,
  type Review,
  type ReviewRow,
  type RowState,
  rowStates,
  type UpdateReview,
} from './schema.ts'
import { seal } from './seal.ts'
import * as store from './store.ts'

/** More would not be read by anyone. */
const mostReviews = 1000

/** @throws AppError `review_not_found` */
export async function get({ db }: Pick<Context, 'db'>, reviewId: string): Promise<Review> {
  const row = isUuid(reviewId) ? await store.findReview(db, reviewId) : undefined
  if (row === undefined) throw unknown()
  return toReview(db, row)
}

export async function list({ db }: Pick<Context, 'db'>): Promise<Review[]> {
  return Promise.all((await store.listReviews(db)).map((row) => toReview(db, row)))
}

export function unknown(): AppError {
  return new AppError('review_not_found', 'There is no review with this id.')
}

/** @throws AppError `review_not_found`, `review_closed` */
export async function getOpenForChange(ctx: ChangeContext, reviewId: string): Promise<store.StoredReview> {
  const row = isUuid(reviewId) ? await store.findReviewForChange(ctx.db, reviewId) : undefined
  if (row === undefined) throw unknown()
  if (row.closed_at !== null) throw new AppError('review_closed', 'The review is closed, and sealed as it is.')
  return row
}

/** The only function that decides what may leave. */
async function toReview(db: Db, row: store.StoredReview): Promise<Review> {
  return {
    review_id: row.review_id,
    name: row.name,
    state: row.closed_at === null ? 'open' : 'closed',
    filter: JSON.parse(row.filter),
    due_at: row.due_at,
    reviewers: JSON.parse(row.reviewers),
    remove_open: row.remove_open === 1,
    row_count: Number(row.row_count),
    counts: await countsOf(db, row.review_id),
    created_at: row.created_at,
    created_by: JSON.parse(row.creator),
    updated_at: row.updated_at,
    closed_at: row.closed_at,
    closed_by: row.closer === null ? null : JSON.parse(row.closer),
    digest: row.digest,
  }
}

export async function countsOf(db: Db, reviewId: string): Promise<Record<RowState, number>> {
  const counts = Object.fromEntries(rowStates.map((state) => [state, 0])) as Record<RowState, number>
  for (const { state, count } of await store.countStates(db, reviewId)) counts[state] = count
  return counts
}

export function toRow(row: store.StoredRow): ReviewRow {
  const { erased: _, ...frozen } = JSON.parse(row.frozen)
  return {
    ...frozen,
    state: row.state,
    comment: row.comment,
    decided_at: row.decided_at,
    decided_by: row.decider === null ? null : JSON.parse(row.decider),
  }
}

export const namedIn = ({ reviewers }: store.StoredReview) => JSON.parse(reviewers) as string[]

/** The named reviewers who can still decide. If there is none, all users with `reviews:write` can. */
export async function reviewersOf(ctx: ChangeContext, review: store.StoredReview): Promise<string[]> {
  const able: string[] = []
  for (const userId of namedIn(review)) {
    const user = await users.findById(ctx.db, scopeOf(ctx.actor), userId)
    if (user === undefined || !users.hasAccess(user, ctx)) continue
    if (holds(permissionsOfUser(ctx.rules.roles, user), 'reviews:write')) able.push(userId)
  }
  return able
}

export function partyOf({ kind, id, name }: Actor): string {
  return JSON.stringify({ kind, id, name: name ?? '' })
}

/** `rows`: those of the access report, as JSON, in its order. */
export type NewReview = CreateReview & { rows: readonly string[] }

/** @throws AppError `validation_failed`, `too_many_reviews` */
export async function create(ctx: ChangeContext, { rows, ...input }: NewReview): Promise<Review> {
  await checkInput(ctx, input)
  if (rows.length > mostRows) {
    const detail = `The filter finds more than ${mostRows} rows. Review fewer users at once.`
    throw validationFailed([memberFault('filter', 'too_many_rows', detail)])
  }
  if ((await store.countReviews(ctx.db)) >= mostReviews) {
    throw new AppError('too_many_reviews', `There are ${mostReviews} reviews, which is the most.`)
  }
  const now = timestamp(ctx.now)
  const review: store.StoredReview = {
    review_id: ctx.newId(),
    name: input.name.trim(),
    filter: JSON.stringify(input.filter ?? {}),
    due_at: timestamp(Date.parse(input.due_at)),
    reviewers: JSON.stringify(input.reviewers ?? []),
    remove_open: input.remove_open ? 1 : 0,
    row_count: rows.length,
    created_at: now,
    creator: partyOf(ctx.actor),
    updated_at: now,
    due_recorded: 0,
    reminders: remindersBefore(input.due_at, ctx.now),
    closed_at: null,
    closer: null,
    digest: null,
  }
  await store.insertReview(ctx.db, review)
  const frozen = rows.map((text, position) => {
    const { row_id, user_id } = JSON.parse(text) as { row_id: string; user_id: string }
    return { position, row_id, user_id, frozen: text }
  })
  await store.insertRows(ctx.db, review.review_id, frozen)
  announce(ctx, 'created', review, { details: { rows: rows.length, due_at: review.due_at } })
  return toReview(ctx.db, review)
}

/** Changes an open review, or closes it. @throws AppError `review_not_found`, `review_closed`, `validation_failed` */
export async function update(
  ctx: ChangeContext,
  { review_id, state, ...input }: UpdateReview & { review_id: string },
): Promise<Review> {
  const found = await getOpenForChange(ctx, review_id)
  await checkInput(ctx, input)
  const { name = found.name, due_at = found.due_at, reviewers, remove_open } = input
  const next: store.StoredReview = {
    ...found,
    name: name.trim(),
    due_at: timestamp(Date.parse(due_at)),
    reviewers: reviewers === undefined ? found.reviewers : JSON.stringify(reviewers),
    remove_open: remove_open === undefined ? found.remove_open : Number(remove_open),
  }
  const changes = changesBetween(found, next)
  if (next.due_at > timestamp(ctx.now)) next.due_recorded = 0
  if (next.due_at !== found.due_at) next.reminders = remindersBefore(next.due_at, ctx.now)
  if (state === 'closed') return close(ctx, next)
  if (Object.keys(changes).length === 0) return toReview(ctx.db, found)
  next.updated_at = timestamp(ctx.now)
  await store.updateReview(ctx.db, next)
  announce(ctx, 'updated', next, { changes })
  return toReview(ctx.db, next)
}

const changeable = ['name', 'due_at', 'reviewers', 'remove_open'] as const

function changesBetween(before: store.StoredReview, after: store.StoredReview): Record<string, unknown> {
  const changed = changeable.filter((member) => before[member] !== after[member])
  return Object.fromEntries(changed.map((member) => [member, { before: before[member], after: after[member] }]))
}

async function close(ctx: ChangeContext, review: store.StoredReview): Promise<Review> {
  const now = timestamp(ctx.now)
  const digest = await seal(ctx.db, review.review_id)
  const closed = { ...review, updated_at: now, closed_at: now, closer: partyOf(ctx.actor), digest, due_recorded: 1 }
  await store.updateReview(ctx.db, closed)
  announce(ctx, 'closed', closed, { details: { digest, ...(await countsOf(ctx.db, review.review_id)) } })
  return toReview(ctx.db, closed)
}

/** @throws AppError `validation_failed` */
async function checkInput(ctx: ChangeContext, { name, due_at, reviewers }: Partial<CreateReview>): Promise<void> {
  const faults = []
  if (name !== undefined && name.trim() === '') faults.push(memberFault('name', 'too_short', 'Give it a name.'))
  if (name !== undefined && (hasUnseen(name) || !name.isWellFormed())) {
    faults.push(memberFault('name', 'control_character', unseenRefused))
  }
  if (due_at !== undefined && Date.parse(due_at) <= ctx.now) {
    faults.push(memberFault('due_at', 'not_in_future', 'A time that is still to come.'))
  }
  for (const [index, userId] of (reviewers ?? []).entries()) {
    const user = await users.findById(ctx.db, scopeOf(ctx.actor), userId)
    if (user === undefined) {
      faults.push(memberFault('reviewers', 'user_not_found', `There is no user ${userId}.`, index))
    }
  }
  if (faults.length > 0) throw validationFailed(faults)
}
