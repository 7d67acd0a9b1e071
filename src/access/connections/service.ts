/**
 * The rules of sign-in connections: who may create and change one, and what a change ends. Leaves the identities to
 * identities.ts, what claims mean to decide.ts, and the protocol to company-sign-in/. Each change runs in a transaction.
 */
import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { type ExpectedVersion, isExpected } from '../../core/expected-version.ts'
import { refuseUngrantableRole } from '../../directory/users/rights.ts'
import { groupNameKey } from '../../lib/group-name.ts'
import { timestamp } from '../../lib/instant.ts'
import { PrecisError } from '../../lib/precis.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { changesOf } from '../../record/journal/entry.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import type { Changes, Target } from '../../store/journal-entry.ts'
import { endAllThrough } from '../sessions/service.ts'
import * as identities from './identities-store.ts'
import type { CreateSignInConnection, SignInConnection, SignInFailure, UpdateSignInConnection } from './schema.ts'
import { changedSettings, initialSettings, issuerOf, type Settings } from './settings.ts'
import * as store from './store.ts'

/** The sign-in page has a button for each, and the list has no pages. */
const connectionLimit = 100
/** Failures hold what a provider sent of people, which must not outlast its purpose. */
const [keptFailures, keptFailuresMs] = [100, 14 * 86_400_000]

/** As the API shows it, but for the address, which depends on where the service is. */
export type Shown = Omit<SignInConnection, 'redirect_uri'>
export type Versioned = { connection: Shown; version: number }

export type StoredSecret = Pick<store.ConnectionRow, 'client_secret' | 'sealed'>

export function settingsOf({ settings }: Pick<store.ConnectionRow, 'settings'>): Settings {
  return { ...initialSettings, ...(JSON.parse(settings) as Settings) }
}

/** The only function that decides which columns of a row may leave. */
async function shown(db: Db, row: store.ConnectionRow): Promise<Shown> {
  const { connection_id, kind, preset, name, position, issuer, client_id, created_at, updated_at } = row
  return {
    ...{
      connection_id,
      kind,
      preset: preset as Shown['preset'],
      name,
      active: row.active === 1,
      position,
      issuer,
      client_id,
    },
    has_client_secret: row.client_secret !== null,
    ...settingsOf(row),
    identity_count: await identities.countIdentities(db, connection_id),
    ...{ created_at, updated_at },
  }
}

export async function list({ db }: Pick<Context, 'db'>): Promise<Shown[]> {
  const rows = await store.listConnections(db)
  return Promise.all(rows.map((row) => shown(db, row)))
}

/** @throws AppError `connection_not_found` */
export async function get({ db }: Pick<Context, 'db'>, connectionId: string): Promise<Versioned> {
  const row = await getRow(db, connectionId)
  return { connection: await shown(db, row), version: row.version }
}

/** @throws AppError `connection_not_found` */
export async function getRow(db: Db, connectionId: string): Promise<store.ConnectionRow> {
  return known(isUuid(connectionId) ? await store.findConnection(db, connectionId) : undefined)
}

type Creation = { connection_id: string; input: Omit<CreateSignInConnection, 'client_secret'>; secret: StoredSecret }

/** @throws AppError `validation_failed`, `connection_name_taken`, `too_many_connections`, `role_not_grantable` */
export async function create(ctx: ChangeContext, { connection_id, input, secret }: Creation): Promise<Versioned> {
  refuseUnlessMayGrantAll(ctx)
  const now = timestamp(ctx.now)
  const { preset = 'generic', name, active = true, position = 0, client_id } = input
  const issuer = input.issuer ?? issuerOf(preset)
  if (issuer === undefined) throw validationFailed([memberFault('issuer', 'missing_member', 'issuer is required.')])
  const row: store.ConnectionRow = {
    ...{ connection_id, version: 1, kind: 'oidc', preset, name, name_key: nameKey(name) },
    ...{ active: Number(active), position, issuer, client_id, ...secret },
    settings: JSON.stringify(changedSettings(ctx.rules, initialSettings, { ...input, issuer })),
    ...{ created_at: now, updated_at: now },
  }
  await ctx.db.lock(['sign_in_connections']) // Two concurrent requests must not both create the last one.
  if ((await store.countConnections(ctx.db)) >= connectionLimit) {
    throw new AppError('too_many_connections', `There are already ${connectionLimit} connections. Delete one first.`)
  }
  if (!(await store.insertConnection(ctx.db, row))) throw nameTaken()
  ctx.record({ action: 'sign_in_connection.created', target: targetOf(row), changes: recorded(undefined, row) })
  return { connection: await shown(ctx.db, row), version: row.version }
}

type Update = {
  connection_id: string
  input: Omit<UpdateSignInConnection, 'client_secret'>
  /** Undefined: it stays as it is. */
  secret: StoredSecret | undefined
  expected: ExpectedVersion
}

/**
 * Another issuer or client id may give its subjects to other people, so it removes the identities and ends the sessions
 * of the connection. So does a domain that is no longer trusted, with the identities that it linked.
 *
 * @throws AppError `connection_not_found`, `precondition_failed`, `connection_name_taken`, `validation_failed`,
 *   `role_not_grantable`
 */
export async function update(
  ctx: ChangeContext,
  { connection_id, input, secret, expected }: Update,
): Promise<Versioned> {
  refuseUnlessMayGrantAll(ctx)
  const found = await getForChange(ctx, connection_id, expected)
  const isNewIssuer = input.issuer !== undefined && input.issuer !== found.issuer
  if (isNewIssuer && secret === undefined && found.client_secret !== null) {
    throw validationFailed([
      memberFault(
        'client_secret',
        'missing_member',
        'Send client_secret with another issuer: the stored one is for the issuer before.',
      ),
    ])
  }
  const before = settingsOf(found)
  const settings = changedSettings(ctx.rules, before, input)
  const next: store.ConnectionRow = {
    ...found,
    ...secret,
    preset: input.preset ?? found.preset,
    name: input.name ?? found.name,
    name_key: input.name === undefined ? found.name_key : nameKey(input.name),
    active: Number(input.active ?? found.active),
    position: input.position ?? found.position,
    issuer: input.issuer ?? found.issuer,
    client_id: input.client_id ?? found.client_id,
    settings: JSON.stringify(settings),
  }
  const changes = recorded(found, next)
  if (Object.keys(changes).length === 0) {
    ctx.record({ action: 'sign_in_connection.updated', target: targetOf(next), changes })
    return { connection: await shown(ctx.db, found), version: found.version }
  }
  const row = { ...next, version: found.version + 1, updated_at: timestamp(ctx.now) }
  if (!(await store.updateConnection(ctx.db, row))) throw nameTaken()
  const isAnother = row.issuer !== found.issuer || row.client_id !== found.client_id || row.preset !== found.preset
  let unlinked = 0
  if (isAnother) unlinked = await identities.deleteIdentitiesOfConnection(ctx.db, connection_id)
  else {
    for (const domain of before.trusted_domains.filter((one) => !settings.trusted_domains.includes(one))) {
      unlinked += await identities.deleteIdentitiesOfDomain(ctx.db, connection_id, domain)
    }
  }
  const endsSessions = unlinked > 0 || isAnother || row.active === 0
  const ended = endsSessions ? await endAllThrough(ctx, connection_id) : 0
  ctx.record({
    action: 'sign_in_connection.updated',
    target: targetOf(row),
    changes,
    ...(endsSessions && { details: { unlinked, sessions_ended: ended } }),
  })
  return { connection: await shown(ctx.db, row), version: row.version }
}

/** @throws AppError `connection_not_found`, `precondition_failed` */
export async function remove(
  ctx: ChangeContext,
  { connection_id, expected }: { connection_id: string; expected: ExpectedVersion },
): Promise<{ unlinked: number; sessions_ended: number }> {
  const found = await getForChange(ctx, connection_id, expected)
  const unlinked = await identities.deleteIdentitiesOfConnection(ctx.db, connection_id)
  const sessions_ended = await endAllThrough(ctx, connection_id)
  await store.deleteConnection(ctx.db, connection_id)
  const details = { unlinked, sessions_ended }
  ctx.record({
    action: 'sign_in_connection.deleted',
    target: targetOf(found),
    changes: recorded(found, undefined),
    details,
  })
  return details
}

export async function sealAll(ctx: ChangeContext, rows: Parameters<typeof store.sealSecret>[1][]): Promise<void> {
  for (const row of rows) await store.sealSecret(ctx.db, row)
}

export type Failure = Pick<SignInFailure, 'reason' | 'detail' | 'claims'>

/** Keeps why a sign-in failed, for the administrator; the caller writes the audit record. */
export async function keepFailure(ctx: ChangeContext, connection_id: string, failure: Failure): Promise<void> {
  const { reason, detail, claims } = failure
  const row = { failure_id: ctx.newId(), connection_id, failed_at: timestamp(ctx.now), request_id: ctx.requestId }
  await store.insertFailure(ctx.db, { ...row, reason, detail, claims: JSON.stringify(claims) }, keptFailures)
}

/** The latest first. @throws AppError `connection_not_found` */
export async function listFailures(
  { db }: Pick<Context, 'db'>,
  connectionId: string,
  limit: number,
): Promise<SignInFailure[]> {
  await getRow(db, connectionId)
  const rows = await store.listFailures(db, connectionId, limit)
  return rows.map(({ connection_id: _, claims, ...row }) => ({ ...row, claims: JSON.parse(claims) }))
}

export async function pruneFailures(ctx: ChangeContext, { everyMs }: { everyMs: number }): Promise<number> {
  if (!(await claimRun(ctx, 'sign_in_connections.prune', everyMs))) return 0
  return store.deleteFailuresBefore(ctx.db, timestamp(ctx.now - keptFailuresMs))
}

/**
 * Any user may have linked a connection, or link it later, so who controls one could become any of them.
 *
 * @throws AppError `role_not_grantable`
 */
function refuseUnlessMayGrantAll(ctx: ChangeContext): void {
  for (const role of Object.keys(ctx.rules.roles)) refuseUngrantableRole(ctx, role)
}

async function getForChange(
  ctx: ChangeContext,
  connectionId: string,
  expected: ExpectedVersion,
): Promise<store.ConnectionRow> {
  const found = known(isUuid(connectionId) ? await store.findConnectionForChange(ctx.db, connectionId) : undefined)
  if (isExpected(found.version, expected)) return found
  const detail = 'The connection has changed since you read it. Read it again, then repeat your change.'
  throw new AppError('precondition_failed', detail)
}

function known(found: store.ConnectionRow | undefined): store.ConnectionRow {
  if (found === undefined) throw new AppError('connection_not_found', 'There is no connection with this id.')
  return found
}

function nameKey(name: string): string {
  try {
    return groupNameKey(name)
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error
    throw validationFailed([memberFault('name', 'name_invalid', error.message)])
  }
}

function nameTaken(): AppError {
  const detail = 'Another connection already has this name.'
  return new AppError('connection_name_taken', detail, {
    errors: [memberFault('name', 'connection_name_taken', detail)],
  })
}

export function targetOf({ connection_id, name }: Pick<store.ConnectionRow, 'connection_id' | 'name'>): Target {
  return { kind: 'sign_in_connection', id: connection_id, name }
}

/** Of the secret only that there is one, or another one. */
function recordable(row: store.ConnectionRow | undefined) {
  if (row === undefined) return undefined
  const { role_claim, default_role, role_sync, second_factor, read_userinfo, ...lists } = settingsOf(row)
  const texts = Object.fromEntries(Object.entries(lists).map(([name, value]) => [name, JSON.stringify(value)]))
  const { preset, name, position, issuer, client_id } = row
  return {
    ...{ preset, name, active: row.active === 1, position, issuer, client_id },
    ...{ role_claim, default_role, role_sync, second_factor, read_userinfo, ...texts },
  }
}

function recorded(before: store.ConnectionRow | undefined, after: store.ConnectionRow | undefined): Changes {
  const [was, is] = [recordable(before), recordable(after)]
  const changes = changesOf(was, is, Object.keys(is ?? was ?? {}))
  const hasNewSecret = before !== undefined && after !== undefined && before.client_secret !== after.client_secret
  return hasNewSecret ? { ...changes, client_secret: 'changed' } : changes
}

export { type ConnectionRow, findConnection, findConnectionForShare, listButtons } from './store.ts'
