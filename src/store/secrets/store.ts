import type { Db, Transaction } from '../db/db.ts'
import { sql } from '../db/sql.ts'

export type SecretRow = {
  name: string
  value: string
  /** 1: `value` is encrypted. */
  sealed: number
  created_at: string
}

export function listSecrets(db: Db): Promise<SecretRow[]> {
  return db.all<SecretRow>(sql`SELECT name, value, sealed, created_at FROM secrets`)
}

/** Inserts it unless the name exists. */
export async function insertSecret(db: Transaction, row: SecretRow): Promise<void> {
  await db.run(sql`
    INSERT INTO secrets (name, value, sealed, created_at)
    VALUES (${row.name}, ${row.value}, ${row.sealed}, ${row.created_at}) ON CONFLICT DO NOTHING`)
}

/** Does nothing if another node was faster. */
export async function replaceSecret(db: Transaction, row: SecretRow): Promise<void> {
  await db.run(sql`
    UPDATE secrets SET value = ${row.value}, sealed = ${row.sealed} WHERE name = ${row.name} AND sealed <> ${row.sealed}`)
}
