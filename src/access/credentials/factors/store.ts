import type { Db, Transaction } from '../../../store/db/db.ts'
import { skipLocked, texts } from '../../../store/db/dialect.ts'
import { sql } from '../../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../../store/db/table.ts'

type FactorKind = 'totp' | 'passkey'

const factors = defineTable('factors', {
  factor_id: text(),
  user_id: text(),
  kind: text<FactorKind>(),
  name: text(),
  /** In base32, encrypted if `sealed` is 1; empty for passkeys. */
  secret: text(),
  sealed: integer(0),
  /** The last step whose code was used (RFC 6238): later steps only. */
  last_step: integer(0),
  created_at: text(),
  /** Null: enrollment has begun, and no code was seen yet. */
  confirmed_at: text(null),
  last_used_at: text(null),
  /** Members of a passkey, as WebAuthn §4 names them; binary values in base64url. */
  credential_id: text(null),
  public_key: text(null),
  sign_count: integer(0),
  /** With spaces between. */
  transports: text(''),
  rp_id: text(null),
  aaguid: text(null),
  backup_eligible: integer(0),
  backed_up: integer(0),
})

export type FactorRow = RowOf<typeof factors>

const insertion = factors.insertion('ON CONFLICT (credential_id) WHERE credential_id IS NOT NULL DO NOTHING')

/** Returns false if there is a passkey with this credential id. */
export async function insertFactor(db: Transaction, row: FactorRow): Promise<boolean> {
  return (await db.run(insertion(row))) > 0
}

/** Confirmed ones, oldest first. */
export function listFactors(db: Db, userId: string): Promise<FactorRow[]> {
  return db.all<FactorRow>(sql`
    SELECT ${factors.columns} FROM factors WHERE user_id = ${userId} AND confirmed_at IS NOT NULL ORDER BY factor_id`)
}

export function findFactor(db: Db, factorId: string): Promise<FactorRow | undefined> {
  return db.get<FactorRow>(sql`SELECT ${factors.columns} FROM factors WHERE factor_id = ${factorId}`)
}

export function findPasskey(db: Db, credentialId: string): Promise<FactorRow | undefined> {
  return db.get<FactorRow>(sql`
    SELECT ${factors.columns} FROM factors
    WHERE credential_id = ${credentialId} AND kind = 'passkey' AND confirmed_at IS NOT NULL`)
}

/** Returns the first domain after this one that passkeys belong to. */
export async function findRpIdAfter(db: Db, after: string): Promise<string | undefined> {
  const found = await db.get<{ rp_id: string }>(sql`
    SELECT rp_id FROM factors WHERE rp_id > ${after} ORDER BY rp_id LIMIT 1`)
  return found?.rp_id
}

/** Returns false if the passkey is gone, or its counter has not moved on (WebAuthn §7.2 step 22). */
export async function advancePasskey(
  db: Transaction,
  used: { factor_id: string; user_id: string; sign_count: number; backed_up: number; now: string },
): Promise<boolean> {
  const { factor_id, user_id, sign_count, backed_up, now } = used
  const changed = await db.run(sql`
    UPDATE factors SET sign_count = ${sign_count}, backed_up = ${backed_up}, last_used_at = ${now}
    WHERE factor_id = ${factor_id} AND user_id = ${user_id} AND kind = 'passkey'
      AND (sign_count < ${sign_count} OR (sign_count = 0 AND CAST(${sign_count} AS bigint) = 0))`)
  return changed > 0
}

export async function hasFactor(db: Db, userId: string): Promise<boolean> {
  const found = await db.get<{ factor_id: string }>(sql`
    SELECT factor_id FROM factors WHERE user_id = ${userId} AND confirmed_at IS NOT NULL LIMIT 1`)
  return found !== undefined
}

/** Which of these users have a factor. */
export async function findOwners(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT DISTINCT user_id FROM factors WHERE user_id IN (SELECT value FROM ${texts(db, userIds)}) AND confirmed_at IS NOT NULL`)
  return new Set(rows.map(({ user_id }) => user_id))
}

/** One-time codes of these users, confirmed and oldest first. */
export async function listTotp(
  db: Db,
  userIds: readonly string[],
): Promise<Pick<FactorRow, 'factor_id' | 'user_id' | 'name' | 'secret' | 'sealed'>[]> {
  if (userIds.length === 0) return []
  return db.all(sql`
    SELECT factor_id, user_id, name, secret, sealed FROM factors
    WHERE user_id IN (SELECT value FROM ${texts(db, userIds)}) AND kind = 'totp' AND confirmed_at IS NOT NULL
    ORDER BY factor_id`)
}

export async function listRecoveryCodes(
  db: Db,
  userIds: readonly string[],
): Promise<{ user_id: string; code_hash: string }[]> {
  if (userIds.length === 0) return []
  return db.all(sql`
    SELECT user_id, code_hash FROM recovery_codes WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})
    ORDER BY user_id, code_hash`)
}

export async function deletePending(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM factors WHERE user_id = ${userId} AND confirmed_at IS NULL`)
}

/** Returns whether it was pending. The code that confirms is spent with it. */
export async function confirmFactor(
  db: Transaction,
  { factor_id, step, now }: { factor_id: string; step: number; now: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    UPDATE factors SET confirmed_at = ${now}, last_used_at = ${now}, last_step = ${step}
    WHERE factor_id = ${factor_id} AND confirmed_at IS NULL`)
  return changed > 0
}

/** Returns false if this step, or a later one, was used before. */
export async function advanceStep(
  db: Transaction,
  { factor_id, user_id, step, now }: { factor_id: string; user_id: string; step: number; now: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    UPDATE factors SET last_step = ${step}, last_used_at = ${now}
    WHERE factor_id = ${factor_id} AND user_id = ${user_id} AND confirmed_at IS NOT NULL AND last_step < ${step}`)
  return changed > 0
}

export async function renameFactor(db: Transaction, factorId: string, name: string): Promise<void> {
  await db.run(sql`UPDATE factors SET name = ${name} WHERE factor_id = ${factorId}`)
}

export async function deleteFactor(db: Transaction, factorId: string): Promise<boolean> {
  return (await db.run(sql`DELETE FROM factors WHERE factor_id = ${factorId}`)) > 0
}

export async function deleteFactorsOfUser(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM factors WHERE user_id = ${userId}`)
}

/** Deletes unfinished enrollments, a bounded number per call. */
export function deletePendingBefore(db: Transaction, before: string): Promise<number> {
  return db.run(sql`
    DELETE FROM factors WHERE factor_id IN (
      SELECT factor_id FROM factors WHERE confirmed_at IS NULL AND created_at < ${before} LIMIT 1000 ${skipLocked(db)})`)
}

export async function insertRecoveryCode(
  db: Transaction,
  { user_id, code_hash, created_at }: { user_id: string; code_hash: string; created_at: string },
): Promise<void> {
  await db.run(sql`
    INSERT INTO recovery_codes (user_id, code_hash, created_at) VALUES (${user_id}, ${code_hash}, ${created_at})`)
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const row = await db.get<{ n: number }>(sql`
    SELECT count(*) AS n FROM recovery_codes WHERE user_id = ${userId}`)
  return Number(row?.n ?? 0)
}

export async function hasRecoveryCode(db: Db, userId: string, codeHash: string): Promise<boolean> {
  const row = await db.get<{ user_id: string }>(sql`
    SELECT user_id FROM recovery_codes WHERE user_id = ${userId} AND code_hash = ${codeHash}`)
  return row !== undefined
}

/** Returns whether it was there: of two requests with the same code, one succeeds. */
export async function deleteRecoveryCode(db: Transaction, userId: string, codeHash: string): Promise<boolean> {
  return (await db.run(sql`DELETE FROM recovery_codes WHERE user_id = ${userId} AND code_hash = ${codeHash}`)) > 0
}

export async function deleteRecoveryCodes(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM recovery_codes WHERE user_id = ${userId}`)
}
