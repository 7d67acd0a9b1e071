/** Checks the store: whether it opens, is intact and of this release, and has an administrator. Changes nothing. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { relyingPartyOf } from '../../access/credentials/factors/service.ts'
import { findUnknown } from '../../access/sign-in/factor-policy/service.ts'
import { findHeldRoles } from '../../administration/roles/service.ts'
import type { Config } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'
import { rulesOf } from '../../core/rules.ts'
import { findSharedEmails } from '../../directory/attributes/service.ts'
import { findUnfindable } from '../../directory/search/service.ts'
import { megabytes } from '../../lib/amounts.ts'
import { placeOf } from '../../lib/postgres-url.ts'
import { hasTable } from '../../store/db/catalog.ts'
import type { Db } from '../../store/db/db.ts'
import { isServer } from '../../store/db/dialect.ts'
import { migrations } from '../../store/db/migrate.ts'
import { findMark, moveAdvice } from '../../store/db/move-mark.ts'
import { sql } from '../../store/db/sql.ts'
import type { Connection } from '../../store/db/sqlite/connection.ts'
import { databasePath, isIn } from '../../store/db/sqlite/directory.ts'
import { inspectStore } from '../../store/db/sqlite/inspect.ts'
import { readStoredRules, rulesWith } from '../../store/rules/stored-rules.ts'
import { listCounts, readAllSecrets } from '../../store/secrets/check.ts'
import { encryptionSecrets } from '../../store/secrets/encryption.ts'
import { findUnconfirmed } from '../inactivity/service.ts'
import { type Finding, messageOf, reportOf } from './finding.ts'

const { ok, warning, failed, skipped } = reportOf('storage')

const mostNamed = 10

type OpenStore = { findings: Finding[]; db?: Db; close?: () => Promise<void> }

/** `db` is undefined if there is no store, or it does not open. */
export async function openStore(config: Config, thorough = false): Promise<OpenStore> {
  return config.databaseUrl === undefined ? openSqlite(resolve(config.dataDir), thorough) : openPostgres(config)
}

export async function checkStore(db: Db, config: Config): Promise<Finding[]> {
  const mark = await findMark(db)
  if (mark !== undefined) return [failed('move', `a move from ${mark.place} has not finished`, moveAdvice)]
  const findings = [await checkMigrations(db)]
  if (findings.every(({ status }) => status === 'ok'))
    findings.push(
      await checkAdministrators(db, config),
      ...(await checkRoles(db, config)),
      await checkNames(db),
      await checkAttributes(db),
      ...(await checkSecondFactor(db, config)),
      ...(await checkInactivity(db)),
      ...(await checkPasskeys(db, config)),
      ...(await checkSecrets(db, config)),
    )
  return findings
}

async function openSqlite(directory: string, thorough: boolean): Promise<OpenStore> {
  const path = databasePath(directory)
  const fault = existsSync(directory) ? lostPart(directory) : undefined
  if (fault !== undefined) return { findings: [fault] }
  if (!existsSync(path)) {
    const advice =
      'If the service has run before, it uses another directory. Run this with its environment, or set --data-dir.'
    return { findings: [warning('store', `there is no store yet: ${path} does not exist`, advice)] }
  }
  const { openConnection } = await import('../../store/db/sqlite/connection.ts')
  const damaged = (found: string): OpenStore => {
    const advice = 'Stop the service, keep a copy of the directory, and restore a backup (docs/backup.md).'
    return { findings: [failed('store', `${path} is damaged: ${found}`, advice)] }
  }
  let connection: Connection | undefined
  try {
    connection = openConnection({ path, readOnly: true, isVisit: true, cacheKiB: 8192 })
    const faults = faultsOf(connection, thorough)
    if (faults.length > 0) {
      connection.close()
      return damaged(faults.slice(0, 3).join('; '))
    }
    const size = connection.raw
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get() as { bytes: number }
    const found = `${path} opens and has no damage, ${megabytes(size.bytes)}`
    const { close } = connection
    return { db: connection, close: async () => close(), findings: [ok('store', found)] }
  } catch (error) {
    connection?.close()
    const { code, errcode = 0 } = error as { code?: string; errcode?: number }
    // SQLITE_CORRUPT and SQLITE_NOTADB.
    if (code === 'ERR_SQLITE_ERROR' && [11, 26].includes(errcode & 0xff)) return damaged(messageOf(error))
    const advice = 'Run this as the user of the service. That user must be able to read and write the data directory.'
    return { findings: [failed('store', `${path} cannot be opened: ${messageOf(error)}`, advice)] }
  }
}

/** Checks for problems that would prevent the service from starting. */
function lostPart(directory: string): Finding | undefined {
  try {
    inspectStore(directory, { wasUsed: isIn(directory, 'lock') })
    return undefined
  } catch (error) {
    if (!(error instanceof OperatorError)) return undefined // Reported below, with the system's message.
    const [found = '', ...advice] = error.message.split('. ')
    return failed('store', found, advice.join('. '))
  }
}

/** `integrity_check` compares each index, and the search index, with its table; `quick_check` leaves that out. */
function faultsOf({ raw }: Connection, thorough: boolean): string[] {
  const rows = raw.prepare(`PRAGMA ${thorough ? 'integrity_check' : 'quick_check'}`).all()
  const faults = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok')
  if (!thorough || faults.length > 0) return faults
  const broken = raw.prepare('PRAGMA foreign_key_check').all() as { table: string; parent: string }[]
  return broken.map(({ table, parent }) => `a row of ${table} refers to a missing row of ${parent}`)
}

/** SQLite was checked when it was opened. PostgreSQL needs the extension amcheck, and the right to use it. */
export async function checkIndexes(db: Db): Promise<Finding[]> {
  if (!isServer(db)) return [ok('indexes', 'all match their tables, including the search index')]
  const advice = 'Ask an administrator of the database to run pg_amcheck.'
  try {
    const found = await db.all<{ name: string }>(sql`
      SELECT relname::text AS name, bt_index_check(pg_class.oid, true) FROM pg_class JOIN pg_am ON pg_am.oid = relam
      WHERE relnamespace = current_schema()::text::regnamespace AND relkind = 'i' AND amname = 'btree'`)
    return [ok('indexes', `${found.length} match their tables`)]
  } catch (error) {
    const { code } = error as { code?: string }
    // undefined_function: the extension is missing; insufficient_privilege; query_canceled, by the limit of ten seconds.
    if (['42883', '42501', '57014'].includes(code ?? '')) {
      return [skipped('indexes', `they could not be checked: ${messageOf(error)}`, advice)]
    }
    return [failed('indexes', messageOf(error), 'Keep a copy of the database, then REINDEX or restore it.')]
  }
}

async function openPostgres(config: Config): Promise<OpenStore> {
  const address = config.databaseUrl as NonNullable<Config['databaseUrl']>
  const [{ connectToPrimary }, { postgresDb }, { isMisconfigured }, { refusalOf }, { refuseTransactionPooling }] =
    await Promise.all([
      import('../../store/db/postgres/primary.ts'),
      import('../../store/db/postgres/connection.ts'),
      import('../../store/db/postgres/failures.ts'),
      import('../../store/db/postgres/refusal.ts'),
      import('../../store/db/postgres/pooling.ts'),
    ])
  const schema = config.databaseSchema
  const place = placeOf(address)
  const options = { address, schema, name: 'rollbook doctor', size: 1, statementMs: 10_000, idleInTransactionMs: 0 }
  try {
    const { client } = await connectToPrimary(options)
    const { client: other } = await connectToPrimary(options)
    await refuseTransactionPooling(client, other)
      .catch(async (error: unknown) => {
        await client.end()
        throw error
      })
      .finally(() => other.end())
    await client.query('SET default_transaction_read_only = on')
    const db = postgresDb(client, schema)
    const close = () => client.end()
    const found = (await db.get<{ version: string; has_schema: boolean }>(sql`
      SELECT current_setting('server_version') AS version,
        EXISTS (SELECT FROM pg_namespace WHERE nspname = ${schema}) AS has_schema`)) as {
      version: string
      has_schema: boolean
    }
    if (!found.has_schema) {
      await close()
      const advice = 'If the service has run before, it uses another database or schema. Run this with its environment.'
      return { findings: [warning('store', `there is no store yet: no schema ${schema} in ${place}`, advice)] }
    }
    const opened = ok('store', `schema ${schema} of ${place}, PostgreSQL ${found.version}`)
    return { db, close, findings: [opened] }
  } catch (error) {
    const fault = error instanceof OperatorError || !isMisconfigured(error) ? error : refusalOf(error, place)
    const [found = '', ...advice] = messageOf(fault).split('. ')
    const reference = 'docs/postgresql.md lists what the service needs from the database.'
    return { findings: [failed('store', `${place} cannot be used: ${found}`, [...advice, reference].join('. '))] }
  }
}

async function checkMigrations(db: Db): Promise<Finding> {
  if (!(await hasTable(db, 'migrations'))) {
    return failed('schema', 'this is not a Rollbook store', 'Use another data directory, database or schema.')
  }
  const applied = await db.all<{ name: string; needs?: string }>(sql`SELECT * FROM migrations ORDER BY name`)
  const isKnown = (name: string) => migrations.some((one) => one.name === name)
  const newer = applied.filter(({ name, needs = '' }) => !isKnown(name) && !isKnown(needs))
  if (newer.length > 0) {
    const names = newer.map(({ name }) => name).join(', ')
    return failed('schema', `the store belongs to a newer release (${names})`, 'Use that release or a newer one.')
  }
  const missing = migrations.filter(({ name }) => !applied.some((row) => row.name === name))
  if (missing.length === 0) return ok('schema', `up to date with this release (${applied.length} migrations)`)
  const names = missing.map(({ name }) => name).join(', ')
  const advice = 'The next start of this release migrates it. Read docs/upgrade.md first.'
  return warning('schema', `from an earlier release; missing migrations: ${names}`, advice)
}

async function checkAdministrators(db: Db, config: Config): Promise<Finding> {
  const { roles } = await rulesInForce(db, config)
  const now = new Date().toISOString()
  const keys = await db.all<{ permissions: string; expires_at: string | null }>(
    sql`SELECT permissions, expires_at FROM api_keys`,
  )
  const full = keys.filter(
    ({ permissions, expires_at }) =>
      (JSON.parse(permissions) as string[]).includes('*') && (expires_at === null || expires_at > now),
  )
  const administering = Object.keys(roles).filter((role) => roles[role]?.includes('*'))
  const people = await Promise.all(
    administering.map((role) =>
      db.get<{ n: number | string }>(
        sql`
          SELECT count(*) AS n FROM users
          WHERE role = ${role} AND active = 1 AND (access_ends_at IS NULL OR access_ends_at > ${now}) AND password_hash IS NOT NULL`,
      ),
    ),
  )
  const administrators = people.reduce((sum, row) => sum + Number(row?.n ?? 0), 0)
  const found = `keys with full access: ${full.length}; active administrators with a password: ${administrators}`
  if (full.length > 0 || administrators > 0 || config.adminKey !== undefined) return ok('administrators', found)
  return warning('administrators', found, 'Run rollbook admin reset to create a new key (docs/way-back-in.md).')
}

/** After an upgrade from 0.2: two users may have had the same address, one with its domain in Unicode and one in ASCII. */
async function checkNames(db: Db): Promise<Finding> {
  const { count, first } = await findUnfindable(db, mostNamed)
  if (count === 0) return ok('names', 'each user is found by their username and address')
  const named = first.map(({ user_id, found }) => (found === undefined ? user_id : `${user_id} (${found} is found)`))
  const advice =
    'Give one user of each pair another username or address, or delete one; then set those of the other again (docs/upgrade.md).'
  const found = `users who are not found by their username or address: ${listed(named, count)}`
  return warning('names', found, advice)
}

/** The same for attributes of type email that are unique. */
async function checkAttributes(db: Db): Promise<Finding> {
  const { count, first } = await findSharedEmails(db, mostNamed)
  if (count === 0) return ok('attributes', 'each user is found by their unique email attributes')
  const named = first.map(({ attribute, user_id, found }) => {
    return `${attribute} of ${user_id}${found === undefined ? '' : ` (${found} is found)`}`
  })
  const advice =
    'Give one user of each pair another value, or delete one; then remove the value of the other and set it again (docs/upgrade.md).'
  return warning('attributes', `users who share a unique email attribute: ${listed(named, count)}`, advice)
}

function listed(first: readonly string[], count: number): string {
  const more = count > first.length ? `; and ${count - first.length} more` : ''
  return `${count}: ${first.join('; ')}${more}`
}

async function rulesInForce(db: Db, config: Config) {
  return rulesWith(rulesOf(config), await readStoredRules(db))
}

/** Roles that have left the settings and are still held, and those that trusted issuers name in vain. */
async function checkRoles(db: Db, config: Config): Promise<Finding[]> {
  const { roles, rolesOfIssuers } = await rulesInForce(db, config)
  const held = await findHeldRoles(db)
  const left = held.filter((role) => !Object.hasOwn(roles, role))
  const named = Object.values(rolesOfIssuers).flat()
  const unknown = [...new Set(named)].filter((role) => !Object.hasOwn(roles, role))
  const findings: Finding[] = []
  if (left.length > 0) {
    const advice =
      'Create the role again, or give its holders another one: rollbook roles delete <role> --replace-with <other>.'
    findings.push(warning('roles', `users or groups have roles that do not exist: ${left.join(', ')}`, advice))
  }
  if (unknown.length > 0) {
    const found = `ROLLBOOK_TRUSTED_ISSUERS names roles that do not exist: ${unknown.join(', ')}`
    findings.push(warning('roles', found, 'Correct the name, or create the role (docs/roles.md).'))
  }
  return findings.length > 0 ? findings : [ok('roles', `all ${held.length} roles that users or groups have exist`)]
}

/** A misspelt role in the policy has no effect; a missing group may still be created. */
async function checkSecondFactor(db: Db, config: Config): Promise<Finding[]> {
  const { secondFactor: policy, roles, configuredSecondFactor } = await rulesInForce(db, config)
  const where = configuredSecondFactor === undefined ? 'the second-factor policy' : 'ROLLBOOK_SECOND_FACTOR'
  const named = Object.keys(policy).filter((name) => name !== '*')
  if (named.length === 0) return []
  const unknown = await findUnknown(db, { policy, roles })
  if (unknown.length === 0) return [ok('second factor', `the policy names ${named.join(', ')}, which exist`)]
  const found = `${where} names what does not exist: ${unknown.join(', ')}`
  return [
    warning('second factor', found, 'Correct the name of the role, or create the group (docs/second-factors.md).'),
  ]
}

async function checkInactivity(db: Db): Promise<Finding[]> {
  const { inactivity } = await readStoredRules(db)
  if (inactivity === undefined) return []
  const stopped = await findUnconfirmed(db)
  if (stopped === undefined) return [ok('inactivity', 'no run of the inactivity rule waits for a confirmation')]
  const found = `a run of the inactivity rule waits for a confirmation: it would disable ${stopped.users} users`
  return [
    warning(
      'inactivity',
      found,
      'Look at rollbook inactivity preview, then confirm or change the rule (docs/inactivity.md).',
    ),
  ]
}

/** A passkey works for its own domain only. The start fails while one belongs to a domain that is not listed. */
async function checkPasskeys(db: Db, config: Config): Promise<Finding[]> {
  const { ids } = relyingPartyOf(config)
  const rows = await db.all<{ rp_id: string; passkeys: number | string; users: number | string }>(sql`
    SELECT rp_id, count(*) AS passkeys, count(DISTINCT user_id) AS users FROM factors
    WHERE rp_id IS NOT NULL GROUP BY rp_id ORDER BY rp_id`)
  if (rows.length === 0) return []
  const words = (some: typeof rows) =>
    some.map(({ rp_id, passkeys, users }) => `${rp_id}: ${passkeys} (users: ${users})`).join('; ')
  const orphans = rows.filter(({ rp_id }) => !ids.includes(rp_id))
  if (orphans.length > 0) {
    const both = [...ids, ...orphans.map(({ rp_id }) => rp_id)].join(',')
    const advice = `Set ROLLBOOK_PASSKEY_RP_ID=${both}, or ROLLBOOK_PUBLIC_URL as it was (docs/second-factors.md).`
    return [failed('passkeys', `passkeys of a domain that is not listed: ${words(orphans)}`, advice)]
  }
  const foreign = rows.filter(({ rp_id }) => config.publicUrl !== undefined && !isBelow(config.publicUrl, rp_id))
  if (foreign.length === 0) return [ok('passkeys', `by domain: ${words(rows)}`)]
  const found = `the pages are at ${config.publicUrl}, but passkeys belong to another domain: ${words(foreign)}`
  const advice = 'Route https://<domain>/.well-known/webauthn to Rollbook as well, so that browsers allow it.'
  return [warning('passkeys', found, advice)]
}

/** Whether the configured secrets decrypt every secret in the store. */
async function checkSecrets(db: Db, config: Config): Promise<Finding[]> {
  const secrets = encryptionSecrets(config)
  const all = await readAllSecrets(db, secrets)
  const said = (sort: Parameters<typeof listCounts>[1]) => listCounts(all, sort)
  const check = 'encrypted secrets'
  const findings: Finding[] = []
  if (said('unreadable') !== '') {
    const advice =
      'Set ROLLBOOK_KEY_ENCRYPTION_SECRET to the secret that they were encrypted with. If it is lost, see docs/signing-keys.md.'
    findings.push(failed(check, `the configured secret does not decrypt ${said('unreadable')}`, advice))
  }
  if (said('lost') !== '') {
    const advice =
      'Rotate or set them again, and reset the factors of users without another one (docs/signing-keys.md).'
    findings.push(warning(check, `given up, because their encryption secret was lost: ${said('lost')}`, advice))
  }
  if (said('previous') !== '') {
    const advice = 'When every node has both secrets, run rollbook secrets rotate (docs/signing-keys.md).'
    findings.push(warning(check, `only the previous secret decrypts ${said('previous')}`, advice))
  } else if (config.keyEncryptionSecretPrevious !== undefined) {
    const advice = 'Remove ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS from every node.'
    findings.push(warning(check, 'nothing needs the previous secret any longer', advice))
  }
  if (findings.length > 0) return findings
  return secrets.length === 0 ? [] : [ok(check, `the configured secret decrypts ${said('readable') || 'them'}`)]
}

function isBelow(url: string, domain: string): boolean {
  const { hostname } = new URL(url)
  return hostname === domain || hostname.endsWith(`.${domain}`)
}
