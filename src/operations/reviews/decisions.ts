/** Decides rows of a review. A removal is an ordinary change of the user or the group, so its rules are the same. */

import * as groups from '../../administration/groups/service.ts'
import { personBehind } from '../../core/actor.ts'
import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import * as users from '../../directory/users/service.ts'
import { refuseOutranked } from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { hasUnseen, unseenRefused } from '../../lib/unseen.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { AuditEntry } from '../../store/journal-entry.ts'
import type { AccessSource } from '../access-report/schema.ts'
import { announce, reviewTarget } from './journal.ts'
import { countsOf, getOpenForChange, namedIn, partyOf, reviewersOf } from './reviews.ts'
import type { DecidedReviewRows, DecideReviewRows } from './schema.ts'
import * as store from './store.ts'

const plainRole = 'user'

type Decided = DecidedReviewRows['rows'][number]

/**
 * Decides rows of an open review. What one row is refused for changes nothing of the others.
 *
 * @throws AppError `review_not_found`, `review_closed`, `not_a_reviewer`, `validation_failed`
 */
export async function decide(
  ctx: ChangeContext,
  { review_id, row_ids, decision, comment = '' }: DecideReviewRows & { review_id: string },
): Promise<DecidedReviewRows> {
  const review = await getOpenForChange(ctx, review_id)
  await refuseOthers(ctx, review)
  if (hasUnseen(comment) || !comment.isWellFormed()) {
    throw validationFailed([memberFault('comment', 'control_character', unseenRefused)])
  }
  const found = new Map((await store.findRows(ctx.db, review_id, row_ids)).map((row) => [row.row_id, row]))
  const rows: Decided[] = []
  for (const row_id of row_ids) {
    const row = found.get(row_id)
    if (row === undefined) {
      throw validationFailed([memberFault('row_ids', 'row_not_found', `The review has no row ${row_id}.`)])
    }
    rows.push(await decideRow(ctx, review_id, row, { decision, comment: comment.trim() }))
  }
  record(ctx, review, decision, rows)
  return { rows, counts: await countsOf(ctx.db, review_id) }
}

function record(ctx: ChangeContext, review: store.StoredReview, decision: string, rows: readonly Decided[]): void {
  const decided = rows.filter(({ code }) => code === undefined).map(({ row_id }) => row_id)
  if (decided.length === 0) return
  ctx.recordFor(ctx, {
    action: 'review.decided',
    target: reviewTarget(review),
    details: { decision, rows: decided.length, row_ids: decided.slice(0, 100) },
  })
}

/** @throws AppError `not_a_reviewer` */
async function refuseOthers(ctx: ChangeContext, review: store.StoredReview): Promise<void> {
  const named = namedIn(review)
  if (named.length === 0 || named.includes(personBehind(ctx.actor)?.user_id ?? '')) return
  if ((await reviewersOf(ctx, review)).length === 0) return
  throw new AppError('not_a_reviewer', 'Only the reviewers of this review decide. Ask one of them, or to become one.')
}

async function decideRow(
  ctx: ChangeContext,
  reviewId: string,
  row: store.StoredRow,
  { decision, comment }: { decision: 'keep' | 'remove'; comment: string },
): Promise<Decided> {
  const { row_id } = row
  try {
    const state = decision === 'keep' ? await keepAccess(ctx, row) : await removeAccess(ctx, row)
    const decided = { ...row, state, comment, decided_at: timestamp(ctx.now), decider: partyOf(ctx.actor) }
    await store.updateRow(ctx.db, reviewId, decided)
    return { row_id, state }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { row_id, state: row.state, code: error.code, detail: error.message }
  }
}

const frozenOf = ({ frozen }: store.StoredRow) => JSON.parse(frozen) as AccessSource

/** @throws AppError `own_access`, `user_outranks_caller` */
async function keepAccess(ctx: ChangeContext, row: store.StoredRow): Promise<store.StoredRow['state']> {
  const now = await standing(ctx, row)
  if (row.state !== 'removed') return now === 'there' ? 'kept' : 'changed_meanwhile'
  if (now === 'changed') return 'changed_meanwhile'
  if (now === 'gone' && (frozenOf(row).expires_at ?? '9999') <= timestamp(ctx.now)) return 'changed_meanwhile'
  if (now === 'gone') await giveBack(ctx, row)
  return 'kept'
}

/** @throws AppError as for the change itself */
async function removeAccess(ctx: ChangeContext, row: store.StoredRow): Promise<store.StoredRow['state']> {
  if ((await standing(ctx, row)) !== 'there') return row.state === 'removed' ? 'removed' : 'changed_meanwhile'
  await takeAway(ctx, row)
  return 'removed'
}

/**
 * Whether the access is still there. `gone`: there is none in its place. `changed`: there is another.
 *
 * @throws AppError `own_access`, `user_outranks_caller`
 */
async function standing(ctx: ChangeContext, row: store.StoredRow): Promise<'there' | 'gone' | 'changed'> {
  const user = await users.findById(ctx.db, scopeOf(ctx.actor), row.user_id)
  if (user === undefined) return 'changed'
  if (personBehind(ctx.actor)?.user_id === row.user_id) {
    throw new AppError('own_access', 'This is your own access. Another reviewer decides about it.')
  }
  refuseOutranked(ctx, user)
  const { source, role, group_id } = frozenOf(row)
  if (source === 'role') return user.role === role ? 'there' : user.role === plainRole ? 'gone' : 'changed'
  const group = group_id === null ? undefined : await groups.findGroup(ctx.db, scopeOf(ctx.actor), group_id)
  if (group === undefined || group.role !== role) return 'changed'
  const memberships = await groups.listGroupsOfUsers(ctx.db, scopeOf(ctx.actor), [row.user_id])
  return memberships.some((one) => one.group_id === group_id) ? 'there' : 'gone'
}

/** Each change of a user or group has an audit record of its own. */
function beside(ctx: ChangeContext): ChangeContext {
  return { ...ctx, record: (entry: AuditEntry) => ctx.recordFor(ctx, entry) }
}

async function takeAway(ctx: ChangeContext, row: store.StoredRow): Promise<void> {
  const { source, user_id, group_id } = frozenOf(row)
  if (source === 'role') await setRole(ctx, user_id, plainRole)
  else await groups.setMember(beside(ctx), { group_id: group_id as string, user_id, member: false })
}

async function giveBack(ctx: ChangeContext, row: store.StoredRow): Promise<void> {
  const { source, user_id, group_id, role, expires_at } = frozenOf(row)
  if (source === 'role') await setRole(ctx, user_id, role)
  else await groups.setMember(beside(ctx), { group_id: group_id as string, user_id, member: true, expires_at })
}

async function setRole(ctx: ChangeContext, user_id: string, role: string): Promise<void> {
  await users.update(beside(ctx), { user_id, input: { role }, expected: undefined })
}

/** Reviews that are looked at in one run, and rows that are removed in one transaction. */
const [dueAtOnce, removedAtOnce] = [10, 100]

/**
 * Records that reviews are due, and removes their open rows if they say so. A row that a rule protects stays open. Returns whether there may be
 * more.
 */
export async function fallDue(ctx: ChangeContext): Promise<boolean> {
  // Two nodes would record it twice.
  await ctx.db.lock(['reviews'])
  const dueReviews = await store.listDue(ctx.db, timestamp(ctx.now), dueAtOnce)
  for (const review of dueReviews) {
    if (review.remove_open === 1 && !(await removeOpen(ctx, review.review_id))) return true
    const { open, ...counts } = await countsOf(ctx.db, review.review_id)
    const next = { ...review, due_recorded: 1 }
    await store.updateReview(ctx.db, next)
    announce(beside(ctx), 'due', next, { details: { open, ...counts } })
  }
  return dueReviews.length === dueAtOnce
}

const refusedComment = 'Not removed: '

/** Returns whether all that can be removed is removed. */
async function removeOpen(ctx: ChangeContext, reviewId: string): Promise<boolean> {
  const rows = (await store.listRows(ctx.db, { review_id: reviewId, state: 'open', limit: removedAtOnce * 2 })).filter(
    ({ comment }) => !comment.startsWith(refusedComment),
  )
  for (const row of rows.slice(0, removedAtOnce)) {
    const { code, detail } = await decideRow(ctx, reviewId, row, { decision: 'remove', comment: '' })
    if (code !== undefined) await store.updateRow(ctx.db, reviewId, { ...row, comment: `${refusedComment}${detail}` })
  }
  return rows.length <= removedAtOnce
}

/** Takes the names of a user who is erased out of the rows about them and the decisions that they made. */
export async function erase(ctx: ChangeContext, { user_id }: { user_id: string }): Promise<void> {
  for (const { review_id, ...row } of await store.listRowsAbout(ctx.db, user_id)) {
    const nameless = { username: '', email: null, first_name: '', last_name: '', erased: true }
    await store.updateRow(ctx.db, review_id, { ...row, frozen: JSON.stringify({ ...frozenOf(row), ...nameless }) })
  }
}
