/**
 * The rules of provisioning connections: their names, how many there may be, what becomes of their users. Leaves their keys
 * to access/credentials/keys, which users they may change to users/managed.ts, and the protocol to scim/. Each change runs in a transaction.
 */

import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import { refuseNamedOrganization, scopeOf, withinOrganization } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import type { AuditEntry, Changes, PlacedTarget } from '../../store/journal-entry.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../store/managed-by-file.ts'
import { getForMember } from '../organizations/service.ts'
import { connectionName, connectionNameTaken } from './name.ts'
import type { Connection, EndDateAttribute, ProfileName, UpdateConnection } from './schema.ts'
import * as store from './store.ts'

/** The list has no pages. */
const connectionLimit = 1000
/** Otherwise one organization could leave no room for the others. */
const limitOfOrganization = 10

/** As the API shows it, but for the address, which depends on where the service is. */
export type Shown = Omit<Connection, 'scim_url'>
export type Versioned = { connection: Shown; version: number }

function describe(row: store.ConnectionRow, user_count: number, lastUse: string | undefined): Shown {
  const { connection_id, name, profile, end_date_attribute, created_at, updated_at, organization_id } = row
  return {
    connection_id,
    name,
    profile,
    end_date_attribute: end_date_attribute as EndDateAttribute | null,
    user_count,
    last_used_at: lastUse ?? null,
    created_at,
    updated_at,
    ...(organization_id !== null && { organization_id }),
    ...(row.managed_by === byFile && { managed_by: byFile }),
  }
}

/** Knows recent uses of a key on this node that may not be stored yet, in epoch milliseconds. */
export type LastUseOf = (keyId: string) => number | undefined

/** When a key of each connection was last accepted. */
async function lastUses(db: Db, lastUseOf: LastUseOf): Promise<Map<string, string>> {
  const latest = new Map<string, string>()
  for (const { connection_id, key_id, last_used_at } of await store.listKeyUses(db)) {
    const here = lastUseOf(key_id)
    const instants = [last_used_at ?? '', here === undefined ? '' : timestamp(here), latest.get(connection_id) ?? '']
    const last = instants.toSorted().at(-1)
    if (last) latest.set(connection_id, last)
  }
  return latest
}

async function versioned(db: Db, row: store.ConnectionRow, lastUseOf: LastUseOf = () => undefined): Promise<Versioned> {
  const uses = await lastUses(db, lastUseOf)
  const users = await store.countManaged(db, row.connection_id)
  return { connection: describe(row, users, uses.get(row.connection_id)), version: row.version }
}

export async function list({ db, actor }: Pick<Context, 'db' | 'actor'>, lastUseOf: LastUseOf): Promise<Shown[]> {
  const rows = await store.listConnections(db, scopeOf(actor))
  const uses = await lastUses(db, lastUseOf)
  return Promise.all(
    rows.map(async (row) =>
      describe(row, await store.countManaged(db, row.connection_id), uses.get(row.connection_id)),
    ),
  )
}

export async function get(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  connectionId: string,
  lastUseOf?: LastUseOf,
): Promise<Versioned> {
  const found = isUuid(connectionId) ? await store.findConnection(db, scopeOf(actor), connectionId) : undefined
  return versioned(db, known(found), lastUseOf)
}

type Creation = {
  name: string
  profile?: ProfileName
  end_date_attribute?: EndDateAttribute | null
  organization_id?: string | null | undefined
}

/** The caller writes the record. @throws AppError `validation_failed`, `connection_name_taken`, `too_many_connections` */
export async function create(
  ctx: ChangeContext,
  { name, profile = 'strict', end_date_attribute = null, ...sent }: Creation,
): Promise<Versioned & { entry: AuditEntry }> {
  const { organization_id = null } = withinOrganization(ctx.actor, sent)
  const now = timestamp(ctx.now)
  const row: store.ConnectionRow = {
    connection_id: ctx.newId(),
    version: 1,
    ...connectionName(name),
    profile,
    created_at: now,
    updated_at: now,
    managed_by: null,
    end_date_attribute,
    organization_id: await checkedOrganization(ctx, organization_id),
  }
  await ctx.db.lock(['provisioning_connections']) // Two concurrent requests must not both create the last one.
  if ((await store.countConnections(ctx.db)) >= connectionLimit) {
    const detail = `There are already ${connectionLimit} provisioning connections. Delete one first.`
    throw new AppError('too_many_connections', detail)
  }
  await refuseTooManyOf(ctx.db, row)
  if (!(await store.insertConnection(ctx.db, row))) throw nameTaken()
  const entry = { action: 'connection.created', target: targetOf(row), changes: changes(undefined, row) }
  return { ...(await versioned(ctx.db, row)), entry }
}

/** @throws AppError `too_many_connections` */
async function refuseTooManyOf(db: Db, { organization_id }: store.ConnectionRow): Promise<void> {
  if (organization_id === null) return
  if ((await store.countOfOrganization(db, organization_id)) < limitOfOrganization) return
  const detail = `The organization already has ${limitOfOrganization} provisioning connections. Delete one first.`
  throw new AppError('too_many_connections', detail)
}

type Removal = { connection_id: string; expected: ExpectedVersion; override?: boolean }

/** @throws AppError `connection_not_found`, `precondition_failed`, `validation_failed`, `connection_name_taken`, `managed_elsewhere` */
export async function update(
  ctx: ChangeContext,
  { connection_id, input, expected, override }: Removal & { input: UpdateConnection },
): Promise<Versioned> {
  const found = await getForChange(ctx, connection_id, expected)
  refuseNamedOrganization(ctx.actor, input)
  const next = {
    ...found,
    ...input,
    ...(input.name !== undefined && connectionName(input.name)),
    organization_id: await changedOrganization(ctx, found, input),
  }
  const changed = changes(found, next)
  refuseManagedByFile(ctx, 'connection', found, { override, changed: Object.keys(changed) })
  const beside = overrideDetails(ctx, found, override)
  const target = { ...targetOf(next), former_organization_id: found.organization_id }
  ctx.record({ action: 'connection.updated', target, changes: changed, ...beside })
  if (Object.keys(changed).length === 0) return versioned(ctx.db, found)
  const row = { ...next, version: found.version + 1, updated_at: timestamp(ctx.now) }
  if (!(await store.updateConnection(ctx.db, row))) throw nameTaken()
  return versioned(ctx.db, row)
}

/** The organization, which stays until the change ends. @throws AppError `validation_failed` if it does not exist */
async function checkedOrganization(ctx: ChangeContext, organizationId: string | null): Promise<string | null> {
  return organizationId === null ? null : (await getForMember(ctx.db, organizationId.toLowerCase())).organization_id
}

/** @throws AppError `validation_failed` */
async function changedOrganization(
  ctx: ChangeContext,
  found: store.ConnectionRow,
  { organization_id: wanted }: UpdateConnection,
): Promise<string | null> {
  if (wanted === undefined || wanted === found.organization_id) return found.organization_id
  return checkedOrganization(ctx, wanted)
}

/**
 * Its users are no longer managed; users/releasing.ts updates their rows in batches. The caller writes the audit record.
 *
 * @returns how many users it managed
 * @throws AppError `connection_not_found`, `precondition_failed`, `managed_elsewhere`
 */
export async function remove(
  ctx: ChangeContext,
  { connection_id, expected, override }: Removal,
): Promise<{ released: number; entry: AuditEntry }> {
  const found = await getForChange(ctx, connection_id, expected)
  refuseManagedByFile(ctx, 'connection', found, { override })
  const released = await store.countManaged(ctx.db, connection_id)
  await store.markDeleted(ctx.db, connection_id)
  return {
    released,
    entry: {
      action: 'connection.deleted',
      target: targetOf(found),
      changes: changes(found, undefined),
      ...overrideDetails(ctx, found, override),
    },
  }
}

async function getForChange(
  ctx: ChangeContext,
  connectionId: string,
  expected: ExpectedVersion,
): Promise<store.ConnectionRow> {
  const scope = scopeOf(ctx.actor)
  const found = known(
    isUuid(connectionId) ? await store.findConnectionForChange(ctx.db, scope, connectionId) : undefined,
  )
  refuseUnexpected('connection', found, expected)
  return found
}

function known(found: store.ConnectionRow | undefined): store.ConnectionRow {
  if (found === undefined)
    throw new AppError('connection_not_found', 'There is no provisioning connection with this id.')
  return found
}

const nameTaken = () => connectionNameTaken('Another provisioning connection already has this name.')

function targetOf({ connection_id, name, organization_id }: store.ConnectionRow): PlacedTarget {
  return { kind: 'connection', id: connection_id, name, organization_id }
}

function changes(before: store.ConnectionRow | undefined, after: store.ConnectionRow | undefined): Changes {
  return changesOf(before, after, ['name', 'profile', 'end_date_attribute', 'organization_id'])
}

/** Finds the connection that manages a user or group. It decides whether they can be changed, regardless of the caller. */
export function findManager(db: Db): (connectionId: string) => Promise<store.ConnectionRow | undefined> {
  return (connectionId) => store.findConnection(db, scopeOf(system), connectionId)
}
