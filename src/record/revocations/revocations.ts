/**
 * Announces ended credentials to everything that caches them: the nodes, and through the feed the product's other services.
 * The services of users, sessions and keys decide what ends. Each call belongs to a change and its commit.
 */

import { timestamp } from '../../lib/instant.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { Announcement, ChangeContext, Subject } from '../../store/context.ts'
import type { Transaction } from '../../store/db/db.ts'
import * as store from './store.ts'

/** Three times the longest life of an access token: a later reader has no token left that it could concern. */
const keptMs = 15 * 60_000

export function revoke(ctx: ChangeContext, subject: Subject): void {
  ctx.announce({ kind: 'revoked', subject })
}

/** Writes a change's revocations as its last statement: the numbers are locked for everyone until the commit. */
export async function recordRevocations(
  db: Transaction,
  announced: readonly Announcement[],
  now: number,
): Promise<void> {
  const subjects = announced.flatMap((event) => (event.kind === 'revoked' ? [event.subject] : []))
  if (subjects.length > 0) await store.insertRevocations(db, subjects, timestamp(now))
}

/** Deletes revocations that can no longer concern any token. */
export async function prune(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'revocations.prune', everyMs))) return 0
  return store.deleteRevocationsBefore(ctx.db, timestamp(ctx.now - keptMs))
}
