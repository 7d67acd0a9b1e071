import type { Db, Transaction } from '../../../store/db/db.ts'
import { skipLocked } from '../../../store/db/dialect.ts'
import { sql } from '../../../store/db/sql.ts'
import { defineTable, type RowOf, text } from '../../../store/db/table.ts'

export type Purpose = 'sign_in' | 'link' | 'confirm' | 'test'

const pending = defineTable('pending_sign_ins', {
  /** SHA-256 of the state. */
  state_hash: text(),
  connection_id: text(),
  /** SHA-256 of the cookie of the browser that started it. */
  browser_hash: text(),
  return_to: text(null),
  /**
   * `confirm`: the provider must ask the signed-in user again. `test`: nothing comes of it but a report. `finished`: it was
   * successful; a browser that loads the page again is sent to `return_to`.
   */
  purpose: text<Purpose | 'finished'>(),
  /** The signed-in user who links the connection, confirms or tests. */
  user_id: text(null),
  started_at: text(),
  expires_at: text(),
  /** Where the visitor came from, as long as the sign-in is not finished. */
  network: text(null),
})

export type PendingRow = RowOf<typeof pending>

const insertion = pending.insertion()

export async function insertPending(db: Transaction, row: PendingRow): Promise<void> {
  await db.run(insertion(row))
}

export function findPending(db: Db, stateHash: string): Promise<PendingRow | undefined> {
  return db.get<PendingRow>(sql`SELECT ${pending.columns} FROM pending_sign_ins WHERE state_hash = ${stateHash}`)
}

/** Makes room for another one of a network: keeps the newest ones. */
export async function deleteOldestPending(db: Transaction, network: string, most: number): Promise<void> {
  await db.run(sql`
    DELETE FROM pending_sign_ins WHERE state_hash IN (
      SELECT state_hash FROM pending_sign_ins WHERE network = ${network}
      ORDER BY started_at DESC LIMIT 1000 OFFSET ${most - 1} ${skipLocked(db)})`)
}

/** Returns whether it was there: of two requests, one gets it, even if the other one has finished since. */
export async function deletePending(db: Transaction, stateHash: string): Promise<boolean> {
  const deleted = await db.run(
    sql`DELETE FROM pending_sign_ins WHERE state_hash = ${stateHash} AND purpose <> 'finished'`,
  )
  return deleted > 0
}

export function deletePendingBefore(db: Transaction, now: string): Promise<number> {
  return db.run(sql`
    DELETE FROM pending_sign_ins WHERE state_hash IN (
      SELECT state_hash FROM pending_sign_ins WHERE expires_at <= ${now} LIMIT 5000 ${skipLocked(db)})`)
}

/** Returns false if the message was used before. */
export async function insertUsedMessage(db: Transaction, messageHash: string, expiresAt: string): Promise<boolean> {
  const inserted = await db.run(sql`
    INSERT INTO used_messages (message_hash, expires_at) VALUES (${messageHash}, ${expiresAt}) ON CONFLICT DO NOTHING`)
  return inserted > 0
}

export function deleteUsedMessagesBefore(db: Transaction, now: string): Promise<number> {
  return db.run(sql`
    DELETE FROM used_messages WHERE message_hash IN (
      SELECT message_hash FROM used_messages WHERE expires_at <= ${now} LIMIT 5000 ${skipLocked(db)})`)
}

export async function deleteAllPending(db: Transaction): Promise<void> {
  await db.run(sql`DELETE FROM pending_sign_ins`)
}
