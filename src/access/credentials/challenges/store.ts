import type { Db, Transaction } from '../../../store/db/db.ts'
import { forUpdate, skipLocked, texts } from '../../../store/db/dialect.ts'
import { fixedSql, sql } from '../../../store/db/sql.ts'
import { bigint, defineTable, integer, type RowOf, text } from '../../../store/db/table.ts'

export type Purpose = 'sign_in' | 'add_passkey' | 'confirm' | 'email_code'

const challenges = defineTable('challenges', {
  challenge_id: text(),
  purpose: text<Purpose>(),
  user_id: text(null),
  /** SHA-256 of the cookie of the browser that started it, or of its session's id. */
  browser_hash: text(),
  /** The methods proven so far, separated by spaces. */
  amr: text(),
  /** The user's version when the challenge began. The challenge ends when the user's credentials change. */
  credentials_version: integer(0),
  /** Our own hash of the verified password, to be stored when the sign-in is complete. */
  password_hash: text(null),
  attempts: bigint(),
  created_at: text(),
  expires_at: text(),
  /** The bytes a passkey signs (WebAuthn §13.4.3), in base64url. */
  webauthn: text(null),
  /** The connection through which the first step was taken. */
  connection_id: text(null),
  /** JSON: the account there, and what its claims will change of the user. */
  company: text(null),
  /** Where the visitor came from, if the user is not known yet. */
  network: text(null),
  /** JSON of CodeRequest: what a request for a code by email said. */
  code_request: text(null),
  /** The address that got the code of this sign-in, as it is compared. Null: not by email, or not decided yet; empty: none was sent. */
  email_key: text(null),
})

export type ChallengeRow = RowOf<typeof challenges>

const insertion = challenges.insertion()

export async function insertChallenge(db: Transaction, row: ChallengeRow): Promise<void> {
  await db.run(insertion(row))
}

export function findChallenge(db: Db, challengeId: string): Promise<ChallengeRow | undefined> {
  return db.get<ChallengeRow>(sql`SELECT ${challenges.columns} FROM challenges WHERE challenge_id = ${challengeId}`)
}

/** Reads the challenge and locks it until the transaction ends. */
export function findChallengeForChange(db: Transaction, challengeId: string): Promise<ChallengeRow | undefined> {
  return db.get<ChallengeRow>(sql`
    SELECT ${challenges.columns} FROM challenges WHERE challenge_id = ${challengeId} ${forUpdate(db)}`)
}

export async function countAttempt(db: Transaction, challengeId: string): Promise<void> {
  await db.run(sql`UPDATE challenges SET attempts = attempts + 1 WHERE challenge_id = ${challengeId}`)
}

/** Returns whether it was there. */
export async function deleteChallenge(db: Transaction, challengeId: string): Promise<boolean> {
  return (await db.run(sql`DELETE FROM challenges WHERE challenge_id = ${challengeId}`)) > 0
}

/** Keeps the newest ones of a user. */
export async function deleteOldestChallenges(db: Transaction, userId: string, most: number): Promise<void> {
  await db.run(sql`
    DELETE FROM challenges WHERE challenge_id IN (
      SELECT challenge_id FROM challenges WHERE user_id = ${userId}
      ORDER BY challenge_id DESC LIMIT 1000 OFFSET ${most} ${skipLocked(db)})`)
}

/** Makes room for another one of a network: keeps the newest ones. */
export async function deleteOldestOfNetwork(db: Transaction, network: string, most: number): Promise<void> {
  await db.run(sql`
    DELETE FROM challenges WHERE challenge_id IN (
      SELECT challenge_id FROM challenges WHERE network = ${network}
      ORDER BY challenge_id DESC LIMIT 1000 OFFSET ${most - 1} ${skipLocked(db)})`)
}

export async function deleteChallengesOfUser(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM challenges WHERE user_id = ${userId}`)
}

export async function deleteChallengesOfUserThrough(
  db: Transaction,
  { connection_id, user_id }: { connection_id: string; user_id: string },
): Promise<void> {
  await db.run(sql`DELETE FROM challenges WHERE connection_id = ${connection_id} AND user_id = ${user_id}`)
}

export async function deleteChallengesThrough(db: Transaction, connectionId: string): Promise<void> {
  await db.run(sql`DELETE FROM challenges WHERE connection_id = ${connectionId}`)
}

export function deleteChallengesBefore(db: Transaction, now: string): Promise<number> {
  return db.run(sql`
    DELETE FROM challenges WHERE challenge_id IN (
      SELECT challenge_id FROM challenges WHERE expires_at <= ${now} LIMIT 5000 ${skipLocked(db)})`)
}

/** Requests for a code by email for which it is not decided whether one is sent, in the order in which they came. */
const undecided = fixedSql('code_request IS NOT NULL AND email_key IS NULL')

export async function hasUndecided(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM challenges WHERE ${undecided} LIMIT 1`)) !== undefined
}

export function listUndecided(
  db: Db,
  limit: number,
): Promise<(Pick<ChallengeRow, 'challenge_id' | 'expires_at'> & { code_request: string })[]> {
  return db.all(sql`
    SELECT challenge_id, expires_at, code_request FROM challenges WHERE ${undecided} ORDER BY challenge_id LIMIT ${limit}`)
}

export async function decideOn(
  db: Transaction,
  { challenge_id, user_id, credentials_version, email_key }: Decided,
): Promise<void> {
  await db.run(sql`
    UPDATE challenges SET user_id = ${user_id}, credentials_version = ${credentials_version}, email_key = ${email_key}
    WHERE challenge_id = ${challenge_id}`)
}

export type Decided = Pick<ChallengeRow, 'challenge_id' | 'user_id' | 'credentials_version'> & { email_key: string }

/** Returns their ids, by which their messages are found. */
export async function deleteCodesOf(db: Transaction, userId: string): Promise<string[]> {
  const rows = await db.returning<{ challenge_id: string }>(sql`
    DELETE FROM challenges WHERE user_id = ${userId} AND purpose = 'email_code' RETURNING challenge_id`)
  return rows.map(({ challenge_id }) => challenge_id)
}

/** Returns for which of these users something waits. */
export async function findUsersWithChallenges(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT DISTINCT user_id FROM challenges WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Set(rows.map(({ user_id }) => user_id))
}

export async function deleteAllChallenges(db: Transaction): Promise<void> {
  await db.run(sql`DELETE FROM challenges`)
}
