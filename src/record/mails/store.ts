import type { Scope } from '../../core/scope.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { forUpdate, texts } from '../../store/db/dialect.ts'
import { conditionsWithin } from '../../store/db/scope.ts'
import { fixedSql, joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import type { Health } from '../delivery/service.ts'
import { kindsOfService, type MailKind } from './kinds.ts'

/**
 * `held`: it waited when the store was backed up, and an operator has to decide; `cancelled`: its link was replaced or withdrawn
 * before it was sent, or an operator discarded it.
 */
export type MailStatus = 'waiting' | 'held' | 'sent' | 'failed' | 'cancelled'

export type MailRow = {
  mail_id: string
  kind: MailKind
  user_id: string | null
  address: string
  /** Groups the messages to one address, for the limit per hour. */
  address_key: string
  locale: string | null
  /** JSON of MailData. */
  data: string
  link_id: string | null
  status: MailStatus
  attempt_count: number
  /** The earliest time at which it may be sent first. */
  planned_at: string
  /** While it is being sent: when it is sent again unless an outcome is reported by then. */
  next_attempt_at: string | null
  claimed_until: string | null
  /** A word for why the last attempt failed, and what the server said. */
  error: string | null
  response: string | null
  /** After this time it is no longer worth sending. */
  expires_at: string | null
  created_at: string
  finished_at: string | null
}

const columns =
  fixedSql(`mail_id, kind, user_id, address, address_key, locale, data, link_id, status, attempt_count, planned_at,
  next_attempt_at, claimed_until, error, response, expires_at, created_at, finished_at`)

type NewMail = Pick<
  MailRow,
  | 'mail_id'
  | 'kind'
  | 'user_id'
  | 'address'
  | 'address_key'
  | 'locale'
  | 'data'
  | 'link_id'
  | 'planned_at'
  | 'expires_at'
> & { now: string }

/** Whether such a message to the user already waits, at this address. */
export async function isWaiting(
  db: Db,
  { user_id, kind, address_key }: { user_id: string; kind: MailKind; address_key: string },
): Promise<boolean> {
  const found = await db.get(sql`
    SELECT 1 FROM mails WHERE user_id = ${user_id} AND kind = ${kind} AND address_key = ${address_key} AND status = 'waiting'
    LIMIT 1`)
  return found !== undefined
}

export async function insertMail(db: Transaction, row: NewMail): Promise<void> {
  await db.run(sql`
    INSERT INTO mails (mail_id, kind, user_id, address, address_key, locale, data, link_id, status, attempt_count,
      planned_at, next_attempt_at, expires_at, created_at)
    VALUES (${row.mail_id}, ${row.kind}, ${row.user_id}, ${row.address}, ${row.address_key}, ${row.locale}, ${row.data},
      ${row.link_id}, 'waiting', 0, ${row.planned_at}, ${row.planned_at}, ${row.expires_at}, ${row.now})`)
}

/** Returns when the latest but `skipped` message of these kinds to this address is planned for, unless that was before `since`. */
export async function findPlannedBefore(
  db: Db,
  {
    address_key,
    kinds,
    since,
    skipped,
    except,
  }: {
    address_key: string
    kinds: readonly MailKind[]
    since: string
    skipped: number
    except: string | undefined
  },
): Promise<string | undefined> {
  const others = except === undefined ? sql`1 = 1` : sql`mail_id <> ${except}`
  const row = await db.get<{ planned_at: string }>(sql`
    SELECT planned_at FROM mails WHERE address_key = ${address_key} AND planned_at > ${since} AND ${others}
      AND kind IN (SELECT value FROM ${texts(db, kinds)})
    ORDER BY planned_at DESC LIMIT 1 OFFSET ${skipped}`)
  return row?.planned_at
}

/** Not due before, and so never sent: a claim, an outcome, a repetition and a release after a restore change one of these. */
const neverDue = (now: string) =>
  sql`status = 'waiting' AND claimed_until IS NULL AND next_attempt_at = planned_at AND planned_at > ${now}`

/** Returns the message that gathers notices to this user now. */
export function findGathering(
  db: Db,
  { user_id, address_key, now }: { user_id: string; address_key: string; now: string },
): Promise<Pick<MailRow, 'mail_id' | 'data'> | undefined> {
  return db.get(sql`
    SELECT mail_id, data FROM mails
    WHERE user_id = ${user_id} AND address_key = ${address_key} AND kind = 'notices' AND ${neverDue(now)}
    ORDER BY mail_id DESC LIMIT 1`)
}

/** Whether a node serves whose release has no template of gathered notices, and would fail to send one. */
export async function hasNodeWithoutNotices(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 AS found FROM nodes WHERE version LIKE '0.3.%' LIMIT 1`)) !== undefined
}

/** Returns false if a node has begun to send it. */
export async function growGathering(
  db: Transaction,
  { mail_id, data, locale, now }: Pick<MailRow, 'mail_id' | 'data' | 'locale'> & { now: string },
): Promise<boolean> {
  const grown = await db.run(sql`
    UPDATE mails SET data = ${data}, locale = ${locale} WHERE mail_id = ${mail_id} AND ${neverDue(now)}`)
  return grown > 0
}

/** The newest first. */
export function listMails(
  db: Db,
  scope: Scope,
  {
    status,
    kind,
    user_id,
    address_key,
    before,
    limit,
  }: Partial<Pick<MailRow, 'status' | 'kind' | 'user_id' | 'address_key'>> & {
    before?: string
    limit: number
  },
): Promise<MailRow[]> {
  const conditions = [sql`1 = 1`, ...mailsWithin(scope)]
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (kind !== undefined) conditions.push(sql`kind = ${kind}`)
  if (user_id !== undefined) conditions.push(sql`user_id = ${user_id}`)
  if (address_key !== undefined) conditions.push(sql`address_key = ${address_key}`)
  if (before !== undefined) conditions.push(sql`mail_id < ${before}`)
  return db.all<MailRow>(sql`
    SELECT ${columns} FROM mails WHERE ${joinSql(conditions, ' AND ')} ORDER BY mail_id DESC LIMIT ${limit}`)
}

export function findMail(db: Db, scope: Scope, mailId: string): Promise<MailRow | undefined> {
  const conditions = [sql`mail_id = ${mailId}`, ...mailsWithin(scope)]
  return db.get<MailRow>(sql`SELECT ${columns} FROM mails WHERE ${joinSql(conditions, ' AND ')}`)
}

const notOfService = rawSql(`kind NOT IN ('${kindsOfService.join("', '")}')`)

/** A message belongs to the organization that its user has now, or had when they were deleted, unless it is about the whole service. */
function mailsWithin(scope: Scope): Sql[] {
  const [within] = conditionsWithin(scope, rawSql('organization_id'))
  if (within === undefined) return []
  return [
    sql`user_id IN (SELECT user_id FROM users WHERE ${within} UNION ALL SELECT user_id FROM deleted_users WHERE ${within})`,
    notOfService,
  ]
}

/** Whether the link was sent in a message, not only returned to an administrator. */
export async function wasQueued(db: Db, linkId: string): Promise<boolean> {
  return (await db.get(sql`SELECT 1 FROM mails WHERE link_id = ${linkId} LIMIT 1`)) !== undefined
}

/** Sends a failed message again. Returns false if it did not fail. */
export async function repeatMail(db: Transaction, mailId: string, now: string): Promise<boolean> {
  const repeated = await db.run(sql`
    UPDATE mails SET status = 'waiting', attempt_count = 0, finished_at = NULL, next_attempt_at = ${now},
      planned_at = ${now}
    WHERE mail_id = ${mailId} AND status = 'failed'`)
  return repeated > 0
}

/** Tries again now a message that waits for its next attempt, which is counted as usual. Returns false if it does not wait for one. */
export async function hurryMail(db: Transaction, mailId: string, now: string): Promise<boolean> {
  const hurried = await db.run(sql`
    UPDATE mails SET next_attempt_at = ${now}
    WHERE mail_id = ${mailId} AND status = 'waiting' AND (attempt_count > 0 OR error IS NOT NULL)
      AND (claimed_until IS NULL OR claimed_until <= ${now})`)
  // A server that accepts nothing is tried again with it.
  if (hurried > 0)
    await db.run(sql`UPDATE mail_servers SET paused_until = ${now} WHERE name = 'smtp' AND paused_until > ${now}`)
  return hurried > 0
}

/** Holds every message that waits. Returns how many are held now. */
export async function holdWaiting(db: Transaction): Promise<number> {
  await db.run(sql`
    UPDATE mails SET status = 'held', next_attempt_at = NULL, claimed_until = NULL WHERE status = 'waiting'`)
  return Number(
    (await db.get<{ count: number }>(sql`SELECT count(*) AS count FROM mails WHERE status = 'held'`))?.count,
  )
}

/** All held messages, or those of them with these ids. */
const heldOnes = (db: Db, mailIds: readonly string[] | undefined) =>
  mailIds === undefined
    ? sql`status = 'held'`
    : sql`status = 'held' AND mail_id IN (SELECT value FROM ${texts(db, mailIds)})`

/** They are planned again from now on. Returns how many. */
export function releaseHeld(db: Transaction, mailIds: readonly string[] | undefined, now: string): Promise<number> {
  return db.run(sql`
    UPDATE mails SET status = 'waiting', next_attempt_at = ${now}, planned_at = ${now} WHERE ${heldOnes(db, mailIds)}`)
}

export function discardHeld(db: Transaction, mailIds: readonly string[] | undefined, now: string): Promise<number> {
  return db.run(sql`
    UPDATE mails SET status = 'cancelled', finished_at = ${now} WHERE ${heldOnes(db, mailIds)}`)
}

/**
 * Cancels unsent messages with one of these links. Does not filter by status: SQLite would scan all waiting messages.
 */
export async function cancelMails(db: Transaction, linkIds: readonly string[], now: string): Promise<void> {
  if (linkIds.length === 0) return
  await db.run(sql`
    UPDATE mails SET status = 'cancelled', finished_at = ${now}
    WHERE link_id IN (SELECT value FROM ${texts(db, linkIds)}) AND status NOT IN ('sent', 'cancelled')`)
}

/** Reads and locks the state of the mail server until the transaction ends: steps are serialized. */
export async function findServerForChange(db: Db): Promise<Health> {
  const row = await db.get<Health>(sql`
    SELECT failure_count, failing_since, paused_until FROM mail_servers WHERE name = 'smtp' ${forUpdate(db)}`)
  if (row === undefined) throw new Error('The mail server has no row.')
  return row
}

export async function setHealth(
  db: Transaction,
  { failure_count, failing_since, paused_until }: Health,
): Promise<void> {
  await db.run(sql`
    UPDATE mail_servers SET failure_count = ${failure_count}, failing_since = ${failing_since},
      paused_until = ${paused_until} WHERE name = 'smtp'`)
}

/** Whether there is work, and when. */
export type Work = { paused_until: string | null; due_at: string | null }

export async function findWork(db: Db): Promise<Work> {
  const row = await db.get<Work>(sql`
    SELECT paused_until, (SELECT min(next_attempt_at) FROM mails WHERE status = 'waiting') AS due_at
    FROM mail_servers WHERE name = 'smtp'`)
  return row ?? { paused_until: null, due_at: null }
}

/** Returns what is due now, the longest waiting first. */
export function listDue(db: Db, now: string, limit: number): Promise<MailRow[]> {
  return db.all<MailRow>(sql`
    SELECT ${columns} FROM mails WHERE status = 'waiting' AND next_attempt_at <= ${now}
    ORDER BY next_attempt_at LIMIT ${limit}`)
}

/** A node that finds it due after `until` claims it: the previous node is gone. */
export async function claimMails(db: Transaction, mailIds: readonly string[], until: string): Promise<void> {
  await db.run(sql`
    UPDATE mails SET claimed_until = ${until}, next_attempt_at = ${until}
    WHERE mail_id IN (SELECT value FROM ${texts(db, mailIds)})`)
}

export function listByIds(db: Db, mailIds: readonly string[]): Promise<MailRow[]> {
  return db.all<MailRow>(sql`
    SELECT ${columns} FROM mails WHERE mail_id IN (SELECT value FROM ${texts(db, mailIds)})`)
}

/** The organizations of these users, if they have one. */
export function findOrganizationsOf(
  db: Db,
  userIds: readonly string[],
): Promise<{ user_id: string; organization_id: string }[]> {
  return db.all(sql`
    SELECT user_id, organization_id FROM users
    WHERE user_id IN (SELECT value FROM ${texts(db, userIds)}) AND organization_id IS NOT NULL`)
}

/** The organizations that these setup links set up. */
export function findOrganizationsOfSetupLinks(
  db: Db,
  linkIds: readonly string[],
): Promise<{ link_id: string; organization_id: string }[]> {
  return db.all(sql`
    SELECT setup_link_id AS link_id, organization_id FROM organization_setup_links
    WHERE setup_link_id IN (SELECT value FROM ${texts(db, linkIds)})`)
}

export type Settled = Pick<
  MailRow,
  'mail_id' | 'status' | 'attempt_count' | 'next_attempt_at' | 'error' | 'response' | 'finished_at'
>

export async function writeOutcome(db: Transaction, row: Settled): Promise<void> {
  await db.run(sql`
    UPDATE mails SET status = ${row.status}, attempt_count = ${row.attempt_count},
      next_attempt_at = ${row.next_attempt_at}, error = ${row.error}, response = ${row.response},
      finished_at = ${row.finished_at}, claimed_until = NULL
    WHERE mail_id = ${row.mail_id}`)
}

/** Deletes some that finished before the time. Returns how many. */
export function deleteFinished(db: Transaction, before: string, limit: number): Promise<number> {
  return db.run(sql`
    DELETE FROM mails WHERE mail_id IN (SELECT mail_id FROM mails WHERE finished_at < ${before} LIMIT ${limit})`)
}

/** Makes due whatever is planned for after `latest`: the clock was ahead when it was planned. */
export async function bringForward(db: Transaction, { now, latest }: { now: string; latest: string }): Promise<void> {
  await db.run(sql`
    UPDATE mails SET next_attempt_at = ${now}
    WHERE status = 'waiting' AND next_attempt_at > ${latest}`)
  await db.run(sql`UPDATE mail_servers SET paused_until = NULL WHERE paused_until > ${latest}`)
}

/** Deletes every message to these addresses that is to no user. */
export async function deleteMailsToAddresses(db: Transaction, addressKeys: readonly string[]): Promise<void> {
  if (addressKeys.length === 0) return
  await db.run(sql`
    DELETE FROM mails WHERE address_key IN (SELECT value FROM ${texts(db, addressKeys)}) AND user_id IS NULL`)
}

/** Deletes every message to a user, finished or not. */
export async function deleteMailsOf(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM mails WHERE user_id = ${userId}`)
}

export type Counts = {
  waiting: number
  held: number
  failed: number
  oldest_at: string | null
  failing_since: string | null
}

export async function countMails(db: Db, now: string): Promise<Counts> {
  const row = await db.get<Counts>(sql`
    SELECT (SELECT count(*) FROM mails WHERE status = 'waiting') AS waiting,
      (SELECT count(*) FROM mails WHERE status = 'held') AS held,
      (SELECT count(*) FROM mails WHERE status = 'failed') AS failed,
      (SELECT min(planned_at) FROM mails WHERE status = 'waiting' AND planned_at <= ${now}) AS oldest_at,
      (SELECT failing_since FROM mail_servers WHERE name = 'smtp') AS failing_since`)
  if (row === undefined) throw new Error('Counting returned no row.')
  return row
}
