/** Audit records and events about reviews. */
import type { ChangeContext } from '../../store/context.ts'
import type { Target } from '../../store/journal-entry.ts'
import type { StoredReview } from './store.ts'

export function reviewTarget({ review_id, name }: Pick<StoredReview, 'review_id' | 'name'>): Target {
  return { kind: 'review', id: review_id, name }
}

type Kind = 'created' | 'updated' | 'due' | 'closed'

/** Decisions have records only: they change nothing that a listener could not learn from the change of the user. */
export function announce(
  ctx: ChangeContext,
  kind: Kind,
  row: StoredReview,
  { changes, details }: { changes?: Record<string, unknown>; details?: Record<string, unknown> } = {},
): void {
  ctx.record({
    action: `review.${kind}`,
    target: reviewTarget(row),
    ...(changes && { changes: changes as never }),
    ...(details && { details }),
  })
  const { review_id, name, due_at, closed_at, digest } = row
  const state = closed_at === null ? 'open' : 'closed'
  const data = JSON.stringify({ review_id, name, state, due_at, closed_at, digest })
  ctx.emit({ type: `review.${kind}`, subject: review_id, owner_id: review_id, data })
}
