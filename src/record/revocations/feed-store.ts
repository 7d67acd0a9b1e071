import type { Db } from '../../store/db/db.ts'
import { numbersInCommitOrder } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'

/** Returns the number of the newest revocation ever, even if its row is deleted by now. */
export async function findNewestSeq(db: Db): Promise<number> {
  const row = numbersInCommitOrder(db)
    ? await db.get<{ seq: number }>(sql`SELECT seq FROM sqlite_sequence WHERE name = 'revoked'`)
    : await db.get<{ seq: number }>(
        sql`SELECT greatest(count, (SELECT coalesce(max(seq), 0) FROM revoked)) AS seq FROM revocations`,
      )
  return row?.seq ?? 0
}
