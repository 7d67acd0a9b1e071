/**
 * The hashes of the tokens in links. A link has one for each time it was handed out: a message that is sent again gets a
 * new token, because no usable one is stored, and an earlier one that may have arrived works as well.
 */
import { hash, randomBytes } from 'node:crypto'
import type { Db, Transaction } from '../../store/db/db.ts'
import { texts } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'

/** 256 random bits, in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

export function tokenHashOf(token: string): string {
  return hash('sha256', token, 'hex')
}

type TokenRow = {
  token_hash: string
  link_id: string
  /** 1: it was sent to the user's mailbox only. */
  mailed: number
}

export async function insertToken(db: Transaction, { token_hash, link_id, mailed }: TokenRow): Promise<void> {
  await db.run(sql`
    INSERT INTO link_tokens (token_hash, link_id, mailed) VALUES (${token_hash}, ${link_id}, ${mailed})`)
}

export function findToken(db: Db, tokenHash: string): Promise<TokenRow | undefined> {
  return db.get<TokenRow>(sql`SELECT token_hash, link_id, mailed FROM link_tokens WHERE token_hash = ${tokenHash}`)
}

/** Deletes all tokens of these links. */
export async function deleteTokensOf(db: Transaction, linkIds: readonly string[]): Promise<void> {
  await db.run(sql`DELETE FROM link_tokens WHERE link_id IN (SELECT value FROM ${texts(db, linkIds)})`)
}

/** Deletes tokens that certainly reached no mailbox. */
export async function deleteTokens(db: Transaction, tokenHashes: readonly string[]): Promise<void> {
  if (tokenHashes.length === 0) return
  await db.run(sql`DELETE FROM link_tokens WHERE token_hash IN (SELECT value FROM ${texts(db, tokenHashes)})`)
}
