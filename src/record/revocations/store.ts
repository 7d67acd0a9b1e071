import type { Subject } from '../../store/context.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { numbersInCommitOrder } from '../../store/db/dialect.ts'
import { joinSql, sql } from '../../store/db/sql.ts'

/** A revocation as the feed stores it. */
export type RevokedRow = {
  seq: number
  kind: Subject['kind']
  id: string
  credentials_version: number | null
  revoked_at: string
}

/** A statement on SQLite has at most some 32,000 parameters; the users of a bulk change can have more sessions. */
const subjectsAtOnce = 2000

/** Numbers follow commit order without gaps: a reader that has seen n has seen everything before it. */
export async function insertRevocations(db: Transaction, subjects: readonly Subject[], now: string): Promise<void> {
  const before = numbersInCommitOrder(db) ? undefined : await takeNumbers(db, subjects.length)
  const rows = subjects.map((subject, index) => {
    const seq = before === undefined ? null : before + index + 1
    const version = 'credentials_version' in subject ? subject.credentials_version : null
    return sql`(${seq}, ${subject.kind}, ${subject.id}, ${version}, ${now})`
  })
  // In few statements: every other revocation waits from the number to the commit.
  for (let start = 0; start < rows.length; start += subjectsAtOnce) {
    await db.run(sql`
      INSERT INTO revoked (seq, kind, id, credentials_version, revoked_at)
      VALUES ${joinSql(rows.slice(start, start + subjectsAtOnce), ', ')}`)
  }
}

/**
 * PostgreSQL's sequences assign numbers before the commit, and commits may come in another order. So this row is locked
 * until then. After a move, numbering continues after the copied rows.
 */
async function takeNumbers(db: Transaction, howMany: number): Promise<number> {
  const [row] = await db.returning<{ count: number }>(sql`
    UPDATE revocations SET count = greatest(count, (SELECT coalesce(max(seq), 0) FROM revoked)) + ${howMany}::bigint
    RETURNING count`)
  return (row as { count: number }).count - howMany
}

export function listRevocationsAfter(db: Db, seq: number, limit: number): Promise<RevokedRow[]> {
  return db.all<RevokedRow>(sql`
    SELECT seq, kind, id, credentials_version, revoked_at FROM revoked WHERE seq > ${seq} ORDER BY seq LIMIT ${limit}`)
}

export function deleteRevocationsBefore(db: Transaction, before: string): Promise<number> {
  return db.run(sql`DELETE FROM revoked WHERE revoked_at < ${before}`)
}

/** Continues numbering that far above what it was: readers have seen numbers that a restored store does not know. */
export async function skipNumbers(db: Transaction, by: number): Promise<void> {
  if (!numbersInCommitOrder(db)) {
    await takeNumbers(db, by)
    return
  }
  const updated = await db.run(sql`UPDATE sqlite_sequence SET seq = seq + ${by} WHERE name = 'revoked'`)
  if (updated === 0) await db.run(sql`INSERT INTO sqlite_sequence (name, seq) VALUES ('revoked', ${by})`)
}
