import type { Db, Transaction } from '../../../store/db/db.ts'
import { skipLocked, texts } from '../../../store/db/dialect.ts'
import { fixedSql, sql } from '../../../store/db/sql.ts'
import { defineTable, integer, type RowOf, text } from '../../../store/db/table.ts'
import { type PersonRow, personColumns } from './person-row.ts'

const sessions = defineTable('sessions', {
  session_id: text(),
  user_id: text(),
  /** SHA-256 of the token in hex; the token holds 256 random bits, so a slow hash would add nothing. */
  token_hash: text(),
  created_at: text(),
  last_seen_at: text(),
  expires_at: text(),
  address: text(),
  user_agent: text(),
  /** Methods of authentication, with spaces between. */
  amr: text('pwd'),
  /** When the user last proved who they are; empty in sessions of older releases: when they began. */
  auth_time: text(''),
  /** The connection through which the user signed in. */
  connection_id: text(null),
  /** The account and the session at the company, by which it asks for a logout. */
  company_subject: text(null),
  company_sid: text(null),
  /** The company's logout hint, sealed with the token of the session. */
  company_hint: text(null),
  /** 1: the browser is trusted, and was not asked for the second factor. */
  trusted: integer(0),
  /** The administrator who acts as the user, as JSON, and the session from which they began. */
  act: text(null),
  begun_from: text(null),
})

export type SessionRow = RowOf<typeof sessions>

/** A session with its user. */
type SignedInRow = Omit<SessionRow, 'address' | 'user_agent'> & PersonRow

const sessionColumns = fixedSql(
  'session_id, token_hash, sessions.created_at, last_seen_at, sessions.expires_at, amr, auth_time, trusted, act, begun_from',
)

const insertion = sessions.insertion()

export async function insertSession(db: Transaction, row: SessionRow): Promise<void> {
  await db.run(insertion(row))
}

export function findSignedInByTokenHash(db: Db, tokenHash: string): Promise<SignedInRow | undefined> {
  return db.get<SignedInRow>(sql`
    SELECT ${sessionColumns}, ${personColumns[db.engine]}
    FROM sessions JOIN users ON users.user_id = sessions.user_id WHERE token_hash = ${tokenHash}`)
}

export function findSignedInById(db: Db, sessionId: string): Promise<SignedInRow | undefined> {
  return db.get<SignedInRow>(sql`
    SELECT ${sessionColumns}, ${personColumns[db.engine]}
    FROM sessions JOIN users ON users.user_id = sessions.user_id WHERE session_id = ${sessionId}`)
}

export function findPersonRow(db: Db, userId: string): Promise<PersonRow | undefined> {
  return db.get<PersonRow>(sql`SELECT ${personColumns[db.engine]} FROM users WHERE user_id = ${userId}`)
}

export function findSession(db: Db, sessionId: string): Promise<SessionRow | undefined> {
  return db.get<SessionRow>(sql`
    SELECT ${sessions.columns}
    FROM sessions WHERE session_id = ${sessionId}`)
}

/** Returns whether the session still exists. */
export async function setAuthentication(
  db: Transaction,
  { session_id, amr, auth_time }: Pick<SessionRow, 'session_id' | 'amr' | 'auth_time'>,
): Promise<boolean> {
  const changed = await db.run(sql`
    UPDATE sessions SET amr = ${amr}, auth_time = ${auth_time} WHERE session_id = ${session_id}`)
  return changed > 0
}

/** Latest first. */
export function listSessions(db: Db, userId: string): Promise<SessionRow[]> {
  return db.all<SessionRow>(sql`
    SELECT ${sessions.columns}
    FROM sessions WHERE user_id = ${userId} ORDER BY session_id DESC`)
}

/** Returns the users of these sessions, without those as whom an administrator acts. */
export function findOwners(db: Db, sessionIds: readonly string[]): Promise<{ user_id: string }[]> {
  return db.all(sql`
    SELECT DISTINCT user_id FROM sessions
    WHERE session_id IN (SELECT value FROM ${texts(db, sessionIds)}) AND act IS NULL`)
}

/** Returns the session's user. Undefined if there is no such session. */
export async function deleteSession(
  db: Transaction,
  sessionId: string,
): Promise<Pick<SessionRow, 'session_id' | 'user_id'> | undefined> {
  const [row] = await db.returning<Pick<SessionRow, 'session_id' | 'user_id'>>(
    sql`DELETE FROM sessions WHERE session_id = ${sessionId} RETURNING session_id, user_id`,
  )
  return row
}

/** Returns the ids of the ended sessions. */
export async function deleteSessionsOfUser(db: Transaction, userId: string, except: string): Promise<string[]> {
  const rows = await db.returning<{ session_id: string }>(sql`
    DELETE FROM sessions WHERE user_id = ${userId} AND session_id <> ${except} RETURNING session_id`)
  return rows.map(({ session_id }) => session_id)
}

/** Deletes the sessions that administrators began from these. */
export function deleteSessionsBegunFrom(
  db: Transaction,
  sessionIds: readonly string[],
): Promise<Pick<SessionRow, 'session_id' | 'user_id'>[]> {
  return db.returning(sql`
    DELETE FROM sessions WHERE begun_from IN (SELECT value FROM ${texts(db, sessionIds)}) RETURNING session_id, user_id`)
}

/** Deletes the sessions in which these users act as others. */
export function deleteSessionsBegunBy(
  db: Transaction,
  userIds: readonly string[],
): Promise<Pick<SessionRow, 'session_id' | 'user_id'>[]> {
  return db.returning(sql`
    DELETE FROM sessions WHERE begun_from IN (
      SELECT session_id FROM sessions WHERE user_id IN (SELECT value FROM ${texts(db, userIds)}))
    RETURNING session_id, user_id`)
}

/** Deletes the sessions started through a connection. */
export function deleteSessionsThrough(
  db: Transaction,
  connectionId: string,
): Promise<Pick<SessionRow, 'session_id' | 'user_id'>[]> {
  return db.returning(sql`DELETE FROM sessions WHERE connection_id = ${connectionId} RETURNING session_id, user_id`)
}

/** Deletes the sessions of an account of a company, or of one session there. */
export function deleteSessionsOfAccount(
  db: Transaction,
  { connection_id, subject, sid }: { connection_id: string; subject: string | null; sid: string | null },
): Promise<Pick<SessionRow, 'session_id' | 'user_id'>[]> {
  return db.returning(sql`
    DELETE FROM sessions WHERE connection_id = ${connection_id}
      AND (company_subject = ${subject} OR ${subject === null ? 1 : 0} = 1)
      AND (company_sid = ${sid} OR ${sid === null ? 1 : 0} = 1)
    RETURNING session_id, user_id`)
}

/** Returns which of these users have a session, or a browser that is trusted: ending their sessions ends something. */
export async function findUsersToSignOut(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT user_id FROM sessions WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})
    UNION SELECT user_id FROM trusted_browsers WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Returns which of these users have a session. */
export async function findUsersWithSessions(db: Db, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT DISTINCT user_id FROM sessions WHERE user_id IN (SELECT value FROM ${texts(db, userIds)})`)
  return new Set(rows.map(({ user_id }) => user_id))
}

/** For a user with more than `most` sessions, returns the ones that were idle longest. */
export async function deleteOldestSessions(db: Transaction, userId: string, most: number): Promise<string[]> {
  const rows = await db.returning<{ session_id: string }>(sql`
    DELETE FROM sessions WHERE session_id IN (
      SELECT session_id FROM sessions WHERE user_id = ${userId} ORDER BY last_seen_at DESC, session_id DESC
      LIMIT 1000 OFFSET ${most})
    RETURNING session_id`)
  return rows.map(({ session_id }) => session_id)
}

/** In batches small enough to be quick. */
export async function deleteEndedSessions(
  db: Transaction,
  now: string,
  idleSince: string,
): Promise<Pick<SessionRow, 'session_id' | 'user_id'>[]> {
  return db.returning(sql`
    DELETE FROM sessions WHERE session_id IN (
      SELECT session_id FROM sessions WHERE expires_at <= ${now} OR last_seen_at <= ${idleSince} LIMIT 2000 ${skipLocked(db)})
    RETURNING session_id, user_id`)
}

/**
 * Stores only later times: a late report must not set the time back. A locked row is being ended, or updated by another node, and
 * is skipped.
 */
export async function setLastSeen(db: Transaction, sessionId: string, lastSeenAt: string): Promise<void> {
  await db.run(sql`
    UPDATE sessions SET last_seen_at = ${lastSeenAt} WHERE session_id IN (
      SELECT session_id FROM sessions WHERE session_id = ${sessionId} AND last_seen_at < ${lastSeenAt} ${skipLocked(db)})`)
}

export async function countSessions(db: Db): Promise<number> {
  return Number((await db.get<{ count: number }>(sql`SELECT count(*) AS count FROM sessions`))?.count)
}

export function deleteSomeSessions(db: Transaction, limit: number): Promise<{ user_id: string; session_id: string }[]> {
  return db.returning(sql`
    DELETE FROM sessions WHERE session_id IN (SELECT session_id FROM sessions LIMIT ${limit})
    RETURNING user_id, session_id`)
}
