import type { Db, Transaction } from '../../../store/db/db.ts'
import { sql } from '../../../store/db/sql.ts'

export type LinkRow = {
  /** SHA-256 of the token in hex; the token holds 256 random bits, so a slow hash would add nothing. */
  token_hash: string
  created_at: string
  expires_at: string
}

export async function insertLink(db: Transaction, row: LinkRow): Promise<void> {
  await db.run(sql`
    INSERT INTO setup_links (token_hash, created_at, expires_at)
    VALUES (${row.token_hash}, ${row.created_at}, ${row.expires_at})`)
}

export function findLink(db: Db, tokenHash: string): Promise<LinkRow | undefined> {
  return db.get<LinkRow>(sql`
    SELECT token_hash, created_at, expires_at FROM setup_links WHERE token_hash = ${tokenHash}`)
}

export async function deleteLinks(db: Transaction): Promise<void> {
  await db.run(sql`DELETE FROM setup_links`)
}
