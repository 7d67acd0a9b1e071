import type { Db, Transaction } from '../db/db.ts'
import { sql } from '../db/sql.ts'

export type AnswerRow = { scope: string; fingerprint: string; answer: Uint8Array; created_at: string }

export function findAnswer(db: Db, scope: string): Promise<AnswerRow | undefined> {
  return db.get<AnswerRow>(sql`
    SELECT scope, fingerprint, answer, created_at FROM idempotency_keys WHERE scope = ${scope}`)
}

/**
 * The same on PostgreSQL. It writes, so that the commit waits until a standby has everything up to here, including the stored
 * response. Otherwise a response could be repeated that a failover then loses.
 */
export async function confirmAnswer(db: Transaction, scope: string): Promise<AnswerRow | undefined> {
  const [row] = await db.returning<AnswerRow>(sql`
    UPDATE idempotency_keys SET created_at = created_at WHERE scope = ${scope}
    RETURNING scope, fingerprint, answer, created_at`)
  return row
}

export async function insertAnswer(db: Transaction, row: AnswerRow): Promise<void> {
  await db.run(sql`
    INSERT INTO idempotency_keys (scope, fingerprint, answer, created_at)
    VALUES (${row.scope}, ${row.fingerprint}, ${row.answer}, ${row.created_at})`)
}

/** Deletes the oldest ones, in batches small enough to be quick. */
export function deleteAnswersBefore(db: Transaction, before: string): Promise<number> {
  return db.run(sql`
    DELETE FROM idempotency_keys WHERE scope IN (
      SELECT scope FROM idempotency_keys WHERE created_at < ${before} ORDER BY created_at LIMIT 100000
    )`)
}
