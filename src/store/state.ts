/** Small facts by name that must outlive a restart. The table belonged to the journal at first, and keeps its name. */
import type { Db, Transaction } from './db/db.ts'
import { sql } from './db/sql.ts'

export async function findState(db: Db, name: string): Promise<string | undefined> {
  return (await db.get<{ value: string }>(sql`SELECT value FROM journal_state WHERE name = ${name}`))?.value
}

export async function setState(db: Transaction, name: string, value: string): Promise<void> {
  await db.run(sql`
    INSERT INTO journal_state (name, value) VALUES (${name}, ${value})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
}

export async function deleteState(db: Transaction, name: string): Promise<void> {
  await db.run(sql`DELETE FROM journal_state WHERE name = ${name}`)
}
