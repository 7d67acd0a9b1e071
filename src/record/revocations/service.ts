/**
 * Tells everybody who remembers credentials what has ended: the nodes, and the product's other services by the feed.
 * Leaves to the services of users, sessions and keys what ends when. Each call belongs to a change and its commit.
 */
import { type Announcement, type ChangeContext, type Subject, timestamp } from '../../store/context.ts'
import type { Transaction } from '../../store/db/db.ts'
import { claimRun } from '../../store/jobs/store.ts'
import * as store from './store.ts'

/** Three times as long as an access token may live: who comes later has no token left that it could be about. */
export const keptMs = 15 * 60_000

export function revoke(ctx: ChangeContext, subject: Subject): void {
  ctx.announce({ kind: 'revoked', subject })
}

/** Writes down what a change revoked, as its last statement: the numbers are held for everybody until the commit. */
export async function recordRevocations(
  db: Transaction,
  announced: readonly Announcement[],
  now: number,
): Promise<void> {
  const subjects = announced.flatMap((event) => (event.kind === 'revoked' ? [event.subject] : []))
  if (subjects.length > 0) await store.insertRevocations(db, subjects, timestamp(now))
}

/** Forgets what no token can be about any more. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'revocations.prune', everyMs))) return 0
  return store.deleteRevocationsBefore(ctx.db, timestamp(ctx.now - keptMs))
}

export { listRevocationsAfter, type RevokedRow } from './store.ts'
