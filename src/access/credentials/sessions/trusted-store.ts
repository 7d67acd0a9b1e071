import type { Db, Transaction } from '../../../store/db/db.ts'
import { skipLocked, texts } from '../../../store/db/dialect.ts'
import { sql } from '../../../store/db/sql.ts'
import { defineTable, type RowOf, text } from '../../../store/db/table.ts'

const browsers = defineTable('trusted_browsers', {
  browser_id: text(),
  user_id: text(),
  /** SHA-256 of the token in hex; the token holds 256 random bits, so a slow hash would add nothing. */
  token_hash: text(),
  created_at: text(),
  expires_at: text(),
  last_used_at: text(),
  address: text(),
  user_agent: text(),
})

export type TrustedRow = RowOf<typeof browsers>

const insertion = browsers.insertion()

export async function insertTrusted(db: Transaction, row: TrustedRow): Promise<void> {
  await db.run(insertion(row))
}

/** Latest first. */
export function listTrusted(db: Db, userId: string, now: string): Promise<TrustedRow[]> {
  return db.all<TrustedRow>(sql`
    SELECT ${browsers.columns} FROM trusted_browsers WHERE user_id = ${userId} AND expires_at > ${now}
    ORDER BY browser_id DESC`)
}

/** Returns the row of the user's token among these. */
export function findTrusted(
  db: Db,
  { user_id, hashes, now }: { user_id: string; hashes: readonly string[]; now: string },
): Promise<TrustedRow | undefined> {
  return db.get<TrustedRow>(sql`
    SELECT ${browsers.columns} FROM trusted_browsers
    WHERE user_id = ${user_id} AND expires_at > ${now} AND token_hash IN (SELECT value FROM ${texts(db, hashes)}) LIMIT 1`)
}

/** Returns whether the user still trusts it. */
export async function useTrusted(
  db: Transaction,
  { user_id, browser_id, now }: { user_id: string; browser_id: string; now: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    UPDATE trusted_browsers SET last_used_at = ${now}
    WHERE browser_id = ${browser_id} AND user_id = ${user_id} AND expires_at > ${now}`)
  return changed > 0
}

/** Returns whether it was the user's. */
export async function deleteTrusted(db: Transaction, userId: string, browserId: string): Promise<boolean> {
  return (await db.run(sql`DELETE FROM trusted_browsers WHERE browser_id = ${browserId} AND user_id = ${userId}`)) > 0
}

export async function deleteTrustedOf(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM trusted_browsers WHERE user_id = ${userId}`)
}

/** Keeps the latest ones of a user. */
export async function deleteOldestTrusted(db: Transaction, userId: string, most: number): Promise<void> {
  await db.run(sql`
    DELETE FROM trusted_browsers WHERE browser_id IN (
      SELECT browser_id FROM trusted_browsers WHERE user_id = ${userId} ORDER BY browser_id DESC LIMIT 1000 OFFSET ${most})`)
}

/** In batches small enough to be quick. */
export async function deleteExpiredTrusted(db: Transaction, now: string): Promise<void> {
  await db.run(sql`
    DELETE FROM trusted_browsers WHERE browser_id IN (
      SELECT browser_id FROM trusted_browsers WHERE expires_at <= ${now} LIMIT 1000 ${skipLocked(db)})`)
}

export function deleteAllTrusted(db: Transaction): Promise<number> {
  return db.run(sql`DELETE FROM trusted_browsers`)
}
