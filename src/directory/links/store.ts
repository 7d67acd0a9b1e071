import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate, texts } from '../../store/db/dialect.ts'
import { fixedSql, joinSql, sql } from '../../store/db/sql.ts'

export type Purpose = 'invitation' | 'verification' | 'password_reset'

/** Why a link no longer works. */
export type EndReason =
  | 'used'
  | 'replaced'
  | 'withdrawn'
  | 'password_changed'
  | 'email_changed'
  | 'role_changed'
  | 'organization_changed'
  | 'disabled'
  | 'deleted'
  | 'signed_in'
  | 'restored'

export type LinkRow = {
  link_id: string
  user_id: string
  purpose: Purpose
  /** The address that it confirms, or that it was made for. */
  email: string | null
  /** The hash of the secret in the browser that asked to confirm an address. */
  browser_hash: string | null
  created_at: string
  expires_at: string
  ended_at: string | null
  ended_reason: EndReason | null
}

const columns = fixedSql(
  'link_id, user_id, purpose, email, browser_hash, created_at, expires_at, ended_at, ended_reason',
)

export async function insertLink(db: Transaction, row: Omit<LinkRow, 'ended_at' | 'ended_reason'>): Promise<void> {
  await db.run(sql`
    INSERT INTO user_links (link_id, user_id, purpose, email, browser_hash, created_at, expires_at)
    VALUES (${row.link_id}, ${row.user_id}, ${row.purpose}, ${row.email}, ${row.browser_hash}, ${row.created_at},
      ${row.expires_at})`)
}

export function findLink(db: Db, linkId: string): Promise<LinkRow | undefined> {
  return db.get<LinkRow>(sql`SELECT ${columns} FROM user_links WHERE link_id = ${linkId}`)
}

/** Reads and locks it until the transaction ends: a link is used once. */
export function findLinkForChange(db: Db, linkId: string): Promise<LinkRow | undefined> {
  return db.get<LinkRow>(sql`SELECT ${columns} FROM user_links WHERE link_id = ${linkId} ${forUpdate(db)}`)
}

/** The newest link of a user for a purpose. */
export function findNewestLink(db: Db, userId: string, purpose: Purpose): Promise<LinkRow | undefined> {
  return db.get<LinkRow>(sql`
    SELECT ${columns} FROM user_links WHERE user_id = ${userId} AND purpose = ${purpose}
    ORDER BY link_id DESC LIMIT 1`)
}

/** Returns the links that a user has asked for since this time, the newest first. */
export function listSince(
  db: Db,
  { user_id, purpose, since }: { user_id: string; purpose: Purpose; since: string },
): Promise<Pick<LinkRow, 'email' | 'created_at'>[]> {
  return db.all(sql`
    SELECT email, created_at FROM user_links
    WHERE user_id = ${user_id} AND purpose = ${purpose} AND created_at > ${since} ORDER BY created_at DESC`)
}

/** Returns those of these users who have a live link. */
export async function findUsersWithLinks(db: Db, userIds: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT DISTINCT user_id FROM user_links
    WHERE user_id IN (SELECT value FROM ${texts(db, userIds)}) AND ended_at IS NULL ORDER BY user_id`)
  return rows.map(({ user_id }) => user_id)
}

/** The next users with a live link, by id. */
export async function listUsersWithLinks(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ user_id: string }>(sql`
    SELECT DISTINCT user_id FROM user_links WHERE user_id > ${after} AND ended_at IS NULL ORDER BY user_id LIMIT ${limit}`)
  return rows.map(({ user_id }) => user_id)
}

/** Ends the live links of a user. Returns their ids. */
export async function endLinks(
  db: Transaction,
  { user_id, purposes, reason, now }: { user_id: string; purposes: readonly Purpose[]; reason: EndReason; now: string },
): Promise<string[]> {
  const list = joinSql(
    purposes.map((one) => sql`${one}`),
    ', ',
  )
  const rows = await db.returning<{ link_id: string }>(sql`
    UPDATE user_links SET ended_at = ${now}, ended_reason = ${reason}
    WHERE user_id = ${user_id} AND purpose IN (${list}) AND ended_at IS NULL RETURNING link_id`)
  return rows.map(({ link_id }) => link_id)
}

export async function deleteLinksOf(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`
    DELETE FROM link_tokens WHERE link_id IN (SELECT link_id FROM user_links WHERE user_id = ${userId})`)
  await db.run(sql`DELETE FROM user_links WHERE user_id = ${userId}`)
}

/** Deletes some that expired before the time. Returns how many. */
export async function deleteExpired(db: Transaction, before: string, limit: number): Promise<number> {
  const rows = await db.all<{ link_id: string }>(sql`
    SELECT link_id FROM user_links WHERE expires_at < ${before} LIMIT ${limit}`)
  const ids = rows.map(({ link_id }) => link_id)
  if (ids.length === 0) return 0
  await db.run(sql`DELETE FROM link_tokens WHERE link_id IN (SELECT value FROM ${texts(db, ids)})`)
  return db.run(sql`DELETE FROM user_links WHERE link_id IN (SELECT value FROM ${texts(db, ids)})`)
}

/**
 * For a restored store: ends the live links that were handed out; those of held messages lose their tokens instead, and get
 * another one when they are sent. Returns how many ended.
 */
export async function endHandedOut(db: Transaction, now: string): Promise<number> {
  const held = sql`SELECT link_id FROM mails WHERE status = 'held' AND link_id IS NOT NULL`
  await db.run(sql`DELETE FROM link_tokens WHERE link_id IN (${held})`)
  return db.run(sql`
    UPDATE user_links SET ended_at = ${now}, ended_reason = 'restored'
    WHERE ended_at IS NULL AND expires_at > ${now} AND link_id NOT IN (${held})`)
}
