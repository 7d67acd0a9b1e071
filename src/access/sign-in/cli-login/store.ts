import type { Db, Transaction } from '../../../store/db/db.ts'
import { forUpdate, skipLocked } from '../../../store/db/dialect.ts'
import { sql } from '../../../store/db/sql.ts'
import { bigint, defineTable, integer, type RowOf, text } from '../../../store/db/table.ts'

export type Flow = 'loopback' | 'device'
/** `ended`: the code was shown with the verifier or the redirect URI of another login. */
export type Outcome = 'approved' | 'denied' | 'ended'

const logins = defineTable('cli_logins', {
  login_id: text(),
  flow: text<Flow>(),
  /** SHA-256 of what opens the page: the end of its address, or the user code. */
  page_hash: text(),
  /** SHA-256 of what yields the key: the device code, or the authorization code from its approval on. */
  secret_hash: text(null),
  redirect_uri: text(null),
  state: text(null),
  /** PKCE with S256 (RFC 7636 §4.2). */
  code_challenge: text(null),
  /** What the machine calls itself. */
  name: text(),
  /** JSON: what was requested, from the approval on what was granted. Null: all that the owner may do. */
  permissions: text(null),
  /** How long the key is valid. */
  key_seconds: bigint(),
  /** Where the request came from. */
  address: text(),
  network: text(),
  created_at: text(),
  expires_at: text(),
  /** When the device last asked, and how long it must wait before it asks again. */
  polled_at: text(null),
  interval_seconds: bigint(),
  /** Null: it waits for the user. */
  outcome: text(null),
  /** Who approved it, and the version of their credentials then. */
  user_id: text(null),
  credentials_version: integer(0),
  /** The key that it yielded. */
  key_id: text(null),
})

export type LoginRow = Omit<RowOf<typeof logins>, 'outcome'> & { outcome: Outcome | null }

const insertion = logins.insertion()

export async function insertLogin(db: Transaction, row: LoginRow): Promise<void> {
  await db.run(insertion(row))
}

export function findByPage(db: Db, pageHash: string): Promise<LoginRow | undefined> {
  return db.get<LoginRow>(sql`SELECT ${logins.columns} FROM cli_logins WHERE page_hash = ${pageHash}`)
}

/** Reads the login and locks it until the transaction ends. */
export function findByPageForChange(db: Transaction, pageHash: string): Promise<LoginRow | undefined> {
  return db.get<LoginRow>(sql`
    SELECT ${logins.columns} FROM cli_logins WHERE page_hash = ${pageHash} ${forUpdate(db)}`)
}

export function findBySecret(db: Db, secretHash: string): Promise<LoginRow | undefined> {
  return db.get<LoginRow>(sql`SELECT ${logins.columns} FROM cli_logins WHERE secret_hash = ${secretHash}`)
}

/** The same by the code. */
export function findBySecretForChange(db: Transaction, secretHash: string): Promise<LoginRow | undefined> {
  return db.get<LoginRow>(sql`
    SELECT ${logins.columns} FROM cli_logins WHERE secret_hash = ${secretHash} ${forUpdate(db)}`)
}

type Decided = Pick<
  LoginRow,
  'login_id' | 'outcome' | 'secret_hash' | 'user_id' | 'credentials_version' | 'permissions' | 'expires_at'
>

export async function decide(db: Transaction, row: Decided): Promise<void> {
  await db.run(sql`
    UPDATE cli_logins SET outcome = ${row.outcome}, secret_hash = ${row.secret_hash}, user_id = ${row.user_id},
      credentials_version = ${row.credentials_version}, permissions = ${row.permissions}, expires_at = ${row.expires_at}
    WHERE login_id = ${row.login_id}`)
}

export async function setPolled(
  db: Transaction,
  { login_id, polled_at, interval_seconds }: Pick<LoginRow, 'login_id' | 'polled_at' | 'interval_seconds'>,
): Promise<void> {
  await db.run(sql`
    UPDATE cli_logins SET polled_at = ${polled_at}, interval_seconds = ${interval_seconds} WHERE login_id = ${login_id}`)
}

export async function setKey(db: Transaction, loginId: string, keyId: string): Promise<void> {
  await db.run(sql`UPDATE cli_logins SET key_id = ${keyId} WHERE login_id = ${loginId}`)
}

export async function endLogin(db: Transaction, loginId: string): Promise<void> {
  await db.run(sql`UPDATE cli_logins SET outcome = 'ended' WHERE login_id = ${loginId}`)
}

/** Makes room for another one of a network: keeps the newest of those that wait. */
export async function deleteOldestOfNetwork(db: Transaction, network: string, most: number): Promise<void> {
  await db.run(sql`
    DELETE FROM cli_logins WHERE login_id IN (
      SELECT login_id FROM cli_logins WHERE network = ${network} AND outcome IS NULL
      ORDER BY login_id DESC LIMIT 1000 OFFSET ${most - 1} ${skipLocked(db)})`)
}

export async function deleteLoginsOfUser(db: Transaction, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM cli_logins WHERE user_id = ${userId}`)
}

export function deleteLoginsBefore(db: Transaction, before: string): Promise<number> {
  return db.run(sql`
    DELETE FROM cli_logins WHERE login_id IN (
      SELECT login_id FROM cli_logins WHERE expires_at <= ${before} LIMIT 5000 ${skipLocked(db)})`)
}

export async function deleteAllLogins(db: Transaction): Promise<void> {
  await db.run(sql`DELETE FROM cli_logins`)
}
