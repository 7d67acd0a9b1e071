import type { Transaction } from '../db.ts'
import { rawSql, sql } from '../sql.ts'

const atOnce = 1000

/**
 * Updates all rows of a table, on SQLite a thousand at a time: it has every page that a statement changes in memory until the
 * statement ends, which is a gigabyte for a million users.
 *
 * @param assignments what follows `SET`, from the columns of the same row
 */
export async function updateAll(db: Transaction, table: 'users' | 'deleted_users', assignments: string): Promise<void> {
  const [name, set] = [rawSql(table), rawSql(assignments)]
  if (db.engine === 'postgres') {
    await db.run(sql`UPDATE ${name} SET ${set}`)
    return
  }
  for (let after = 0; ; ) {
    const batch = await db.get<{ last: number | null }>(sql`
      SELECT max(rowid) AS last FROM (SELECT rowid FROM ${name} WHERE rowid > ${after} ORDER BY rowid LIMIT ${atOnce})`)
    if (batch?.last == null) return
    await db.run(sql`UPDATE ${name} SET ${set} WHERE rowid > ${after} AND rowid <= ${batch.last}`)
    after = batch.last
  }
}
