import { timestamp } from '../lib/instant.ts'
import type { ChangeContext } from './context.ts'
import type { Transaction } from './db/db.ts'
import { sql } from './db/sql.ts'

/** Lets the job run in the next round of any node. */
export async function requestRun(db: Transaction, name: string): Promise<void> {
  await db.run(sql`DELETE FROM jobs WHERE name = ${name}`)
}

/**
 * Returns whether this node should run the job now: one node may, once in `everyMs`. A last run far in the future,
 * recorded by a wrong clock, is ignored.
 */
export async function claimRun(ctx: ChangeContext, name: string, everyMs: number): Promise<boolean> {
  const now = timestamp(ctx.now)
  const [before, beyond] = [timestamp(ctx.now - 0.9 * everyMs), timestamp(ctx.now + everyMs)]
  const claimed = await ctx.db.run(sql`
    INSERT INTO jobs (name, last_run_at) VALUES (${name}, ${now})
    ON CONFLICT (name) DO UPDATE SET last_run_at = excluded.last_run_at
    WHERE jobs.last_run_at <= ${before} OR jobs.last_run_at > ${beyond}`)
  return claimed > 0
}
