import type { Db, Transaction } from '../../../store/db/db.ts'
import { sql } from '../../../store/db/sql.ts'

export type SigningKeyRow = {
  /** The thumbprint of the public key (RFC 7638). */
  kid: string
  /** Both as JSON Web Keys; the private one encrypted if `sealed` is 1. */
  public_key: string
  private_key: string
  sealed: number
  created_at: string
  /** It signs from then on: by that time every verifier has seen the public key. */
  signs_from: string
  /** Since when another key signs. */
  retired_at: string | null
  /** By then every token that it signed has expired. */
  expires_at: string | null
}

export async function insertSigningKey(db: Transaction, row: SigningKeyRow): Promise<void> {
  await db.run(sql`
    INSERT INTO signing_keys (kid, public_key, private_key, sealed, created_at, signs_from, retired_at, expires_at)
    VALUES (${row.kid}, ${row.public_key}, ${row.private_key}, ${row.sealed}, ${row.created_at}, ${row.signs_from},
      ${row.retired_at}, ${row.expires_at})`)
}

/** Newest first. */
export function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.all<SigningKeyRow>(sql`
    SELECT kid, public_key, private_key, sealed, created_at, signs_from, retired_at, expires_at
    FROM signing_keys ORDER BY signs_from DESC, kid`)
}

export async function retireSigningKeys(
  db: Transaction,
  { at, expires_at }: { at: string; expires_at: string },
): Promise<void> {
  await db.run(sql`UPDATE signing_keys SET retired_at = ${at}, expires_at = ${expires_at} WHERE retired_at IS NULL`)
}

export async function deleteSigningKey(db: Transaction, kid: string): Promise<void> {
  await db.run(sql`DELETE FROM signing_keys WHERE kid = ${kid}`)
}

export function deleteExpiredSigningKeys(db: Transaction, now: string): Promise<number> {
  return db.run(sql`DELETE FROM signing_keys WHERE expires_at <= ${now}`)
}

/** Returns the individually revoked access tokens that have not expired. */
export function listRevokedTokens(db: Db): Promise<{ id: string }[]> {
  return db.all<{ id: string }>(sql`SELECT id FROM revoked WHERE kind = 'token'`)
}
