import type { Scope } from '../../../core/scope.ts'
import type { Db, Transaction } from '../../../store/db/db.ts'
import { containsText, forUpdate, texts } from '../../../store/db/dialect.ts'
import { andWithin } from '../../../store/db/scope.ts'
import { type FixedSql, fixedSql, joinSql, type Sql, sql } from '../../../store/db/sql.ts'
import type { AccessRequestState } from './schema.ts'

/** `entered`: an address that no message was made for yet; `open`: its link was sent. Neither is shown to anyone. */
export type StoredState = 'entered' | 'open' | AccessRequestState

export type RequestRow = {
  request_id: string
  state: StoredState
  email: string
  email_key: string
  locale: string | null
  first_name: string
  last_name: string
  /** JSON. */
  attributes: string
  reason: string
  /** What a search looks in, in lower case. */
  search_text: string
  created_at: string
  /** Until when the link works, or the request can be decided. */
  expires_at: string
  delete_at: string
  decided_at: string | null
  decider_kind: string | null
  decider_id: string | null
  decider_name: string | null
  decline_reason: string | null
  user_id: string | null
}

const columns = fixedSql(`request_id, state, email, email_key, locale, first_name, last_name, attributes, reason,
  search_text, created_at, expires_at, delete_at, decided_at, decider_kind, decider_id, decider_name, decline_reason, user_id`)

type Entered = Pick<RequestRow, 'request_id' | 'email' | 'email_key' | 'locale' | 'created_at' | 'expires_at'>

export async function insertEntered(db: Transaction, row: Entered): Promise<void> {
  await db.run(sql`
    INSERT INTO access_requests (request_id, state, email, email_key, locale, created_at, expires_at, delete_at)
    VALUES (${row.request_id}, 'entered', ${row.email}, ${row.email_key}, ${row.locale}, ${row.created_at},
      ${row.expires_at}, ${row.expires_at})`)
}

export async function hasEntered(db: Db): Promise<boolean> {
  return (await db.get(sql`SELECT 1 AS found FROM access_requests WHERE state = 'entered' LIMIT 1`)) !== undefined
}

export function listEntered(db: Db, limit: number): Promise<RequestRow[]> {
  return db.all<RequestRow>(sql`
    SELECT ${columns} FROM access_requests WHERE state = 'entered' ORDER BY request_id LIMIT ${limit}`)
}

/** The requests with this address whose state is one of these, the newest first. */
export function listOfAddress(
  db: Db,
  { email_key, states }: { email_key: string; states: readonly StoredState[] },
): Promise<RequestRow[]> {
  return db.all<RequestRow>(sql`
    SELECT ${columns} FROM access_requests
    WHERE email_key = ${email_key} AND state IN (SELECT value FROM ${texts(db, states)}) ORDER BY request_id DESC`)
}

export async function openRequest(
  db: Transaction,
  { request_id, locale, expires_at }: Pick<RequestRow, 'request_id' | 'locale' | 'expires_at'>,
): Promise<void> {
  await db.run(sql`
    UPDATE access_requests SET state = 'open', locale = ${locale}, expires_at = ${expires_at}, delete_at = ${expires_at}
    WHERE request_id = ${request_id}`)
}

export function findRequest(db: Db, requestId: string): Promise<RequestRow | undefined> {
  return db.get<RequestRow>(sql`SELECT ${columns} FROM access_requests WHERE request_id = ${requestId}`)
}

/** Reads and locks it until the transaction ends: it is sent once, and decided once. */
export function findRequestForChange(db: Db, scope: Scope, requestId: string): Promise<RequestRow | undefined> {
  return db.get<RequestRow>(sql`
    SELECT ${columns} FROM access_requests WHERE request_id = ${requestId}${andOfDomain(scope)} ${forUpdate(db)}`)
}

/** A request belongs to the organization that has proved the domain of its address. */
function andOfDomain(scope: Scope): FixedSql {
  return scope.kind === 'everyone' ? andWithin(scope) : { fixed: ofDomain, values: [scope.organization_id] }
}

const ofDomain = [
  ` AND EXISTS (SELECT 1 FROM organization_domains WHERE verified_at IS NOT NULL
    AND substr(email_key, length(email_key) - length(domain)) = '@' || domain AND organization_id = `,
  ')',
]

export async function updateRequest(db: Transaction, row: RequestRow): Promise<void> {
  await db.run(sql`
    UPDATE access_requests SET state = ${row.state}, locale = ${row.locale}, first_name = ${row.first_name},
      last_name = ${row.last_name}, attributes = ${row.attributes}, reason = ${row.reason},
      search_text = ${row.search_text}, created_at = ${row.created_at}, expires_at = ${row.expires_at},
      delete_at = ${row.delete_at}, decided_at = ${row.decided_at}, decider_kind = ${row.decider_kind},
      decider_id = ${row.decider_id}, decider_name = ${row.decider_name}, decline_reason = ${row.decline_reason},
      user_id = ${row.user_id}
    WHERE request_id = ${row.request_id}`)
}

export type Filters = {
  state: AccessRequestState | undefined
  /** In lower case. */
  words: readonly string[]
  before: string | undefined
  now: string
  limit: number
}

/** A row as it is shown, with the user who has its address by now. */
export type ShownRow = RequestRow & { existing_user_id: string | null }

/** The newest first. */
export function listRequests(db: Db, scope: Scope, { state, words, before, now, limit }: Filters): Promise<ShownRow[]> {
  const conditions = [ofState(state, now), ...words.map((word) => containsText(db, 'search_text', word))]
  if (before !== undefined) conditions.push(sql`request_id < ${before}`)
  return db.all<ShownRow>(sql`
    SELECT ${columns},
  (SELECT users.user_id FROM users WHERE users.email_key = access_requests.email_key${andWithin(scope)}) AS existing_user_id FROM access_requests WHERE ${joinSql(conditions, ' AND ')}${andOfDomain(scope)} ORDER BY request_id DESC LIMIT ${limit}`)
}

export function findShown(db: Db, scope: Scope, requestId: string): Promise<ShownRow | undefined> {
  return db.get<ShownRow>(sql`SELECT ${columns},
  (SELECT users.user_id FROM users WHERE users.email_key = access_requests.email_key${andWithin(scope)}) AS existing_user_id FROM access_requests WHERE request_id = ${requestId}${andOfDomain(scope)}`)
}

/** A waiting request expires by comparison; the job only records it. */
function ofState(state: AccessRequestState | undefined, now: string): Sql {
  if (state === undefined) return sql`state NOT IN ('entered', 'open')`
  if (state === 'waiting') return sql`state = 'waiting' AND expires_at > ${now}`
  if (state === 'expired') return sql`(state = 'expired' OR (state = 'waiting' AND expires_at <= ${now}))`
  return sql`state = ${state}`
}

export function listExpired(db: Db, now: string, limit: number): Promise<RequestRow[]> {
  return db.all<RequestRow>(sql`
    SELECT ${columns} FROM access_requests WHERE state = 'waiting' AND expires_at <= ${now}
    ORDER BY expires_at LIMIT ${limit}`)
}

/** Returns the ids of some that may be deleted. */
export async function listDeletable(db: Db, now: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ request_id: string }>(sql`
    SELECT request_id FROM access_requests WHERE delete_at <= ${now} ORDER BY delete_at LIMIT ${limit}`)
  return rows.map(({ request_id }) => request_id)
}

/** Returns the ids of those about a user or with one of these addresses. */
export async function listAbout(
  db: Db,
  { user_id, email_keys }: { user_id: string; email_keys: readonly string[] },
): Promise<string[]> {
  const rows = await db.all<{ request_id: string }>(sql`
    SELECT request_id FROM access_requests
    WHERE user_id = ${user_id} OR email_key IN (SELECT value FROM ${texts(db, email_keys)}) ORDER BY request_id`)
  return rows.map(({ request_id }) => request_id)
}

/** The id of the one who decided stays, as in the audit. */
export async function forgetDecider(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`UPDATE access_requests SET decider_name = '' WHERE decider_id = ${userId} AND decider_kind = 'user'`)
}

export async function deleteRequests(db: Transaction, requestIds: readonly string[]): Promise<void> {
  await db.run(sql`DELETE FROM access_requests WHERE request_id IN (SELECT value FROM ${texts(db, requestIds)})`)
}

/** For a restored store: addresses that no message was made for, and links that were handed out. Returns their ids. */
export async function listUnconfirmed(db: Db): Promise<string[]> {
  const rows = await db.all<{ request_id: string }>(sql`
    SELECT request_id FROM access_requests WHERE state IN ('entered', 'open') ORDER BY request_id`)
  return rows.map(({ request_id }) => request_id)
}
