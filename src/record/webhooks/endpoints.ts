/**
 * The rules of webhook endpoints: how many there may be, who may send events where, when an endpoint starts over.
 * Leaves creating and opening secrets to secrets.ts, sending to dispatch.ts. Each change runs in a transaction.
 */

import { AppError } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import { holds } from '../../core/rules.ts'
import { timestamp } from '../../lib/instant.ts'
import { isSameSet } from '../../lib/same-set.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { Changes, Target } from '../../store/journal-entry.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../store/managed-by-file.ts'
import { changesOf, findNewestEvent } from '../journal/service.ts'
import { type Attempt, listFailedAttempts, resumeDeliveries } from './deliveries-store.ts'
import type { CreateEndpoint, Endpoint, NewEndpoint, UpdateEndpoint } from './schema.ts'
import { isReadable, type MadeSecret } from './secrets.ts'
import * as store from './store.ts'

/** Each event is compared with each endpoint, and the list of endpoints has no pages. */
const endpointLimit = 100

/** An endpoint as the API shows it, and the version for its ETag. */
export type Versioned<Shown extends Endpoint = Endpoint> = { endpoint: Shown; version: number }

type Failure = NonNullable<Endpoint['failure']>

/** The only function that decides which columns of a row may leave. */
function toEndpoint(row: store.EndpointRow, failure: Failure | null = null): Endpoint {
  const isFailing = failure !== null || row.failing_since !== null
  return {
    endpoint_id: row.endpoint_id,
    url: row.url,
    description: row.description,
    event_types: row.event_types === null ? null : (JSON.parse(row.event_types) as string[]),
    active: row.active === 1,
    state: row.active !== 1 ? 'disabled' : isFailing ? 'failing' : 'active',
    failure,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since,
    previous_secret_expires_at: row.previous_expires_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...(row.managed_by === byFile && { managed_by: byFile }),
  }
}

export async function list(ctx: Context): Promise<Endpoint[]> {
  const rows = await store.listEndpoints(ctx.db)
  return Promise.all(rows.map(async (row) => toEndpoint(row, await failureOf(ctx, row))))
}

/** Summarizes the latest failed attempts of deliveries that are still to be sent. */
async function failureOf(ctx: Context | ChangeContext, row: store.EndpointRow): Promise<Failure | null> {
  const { endpoint_id, failure_count } = row
  if (failure_count === 0) return null
  const logs = await listFailedAttempts(ctx.db, endpoint_id)
  const attempts = logs
    .flatMap((log) => JSON.parse(log) as Attempt[])
    .sort((a, b) => (a.attempted_at < b.attempted_at ? 1 : -1))
    .slice(0, failure_count)
  const [last] = attempts
  return {
    failed_attempts: failure_count,
    since: attempts.at(-1)?.attempted_at ?? row.failing_since,
    last_attempt_at: last?.attempted_at ?? null,
    response_status: last?.response_status ?? null,
    error: last?.error ?? null,
  }
}

export async function get(ctx: Context, endpointId: string): Promise<Versioned> {
  return toVersioned(ctx, await getRow(ctx, endpointId, store.findEndpoint))
}

/**
 * It receives events from now on.
 *
 * @throws AppError `permission_denied`, `too_many_endpoints`
 */
export async function create(
  ctx: ChangeContext,
  { endpoint_id, input, secret }: { endpoint_id: string; input: CreateEndpoint; secret: MadeSecret },
): Promise<Versioned<NewEndpoint>> {
  refuseUnreadable(ctx)
  await ctx.db.lock(['webhook_endpoints']) // Two concurrent requests must not both create the last one.
  if ((await store.countEndpoints(ctx.db)) >= endpointLimit) {
    throw new AppError('too_many_endpoints', `There are already ${endpointLimit} endpoints. Delete one first.`)
  }
  const now = timestamp(ctx.now)
  const row: store.EndpointRow = {
    endpoint_id,
    url: input.url,
    description: input.description ?? '',
    event_types: eventTypesText(input.event_types),
    active: 1,
    disabled_reason: null,
    secret: secret.stored,
    previous_secret: null,
    previous_expires_at: null,
    sealed: secret.sealed,
    cursor: await findNewestEvent(ctx.db),
    failing_since: null,
    failure_count: 0,
    version: 1,
    created_at: now,
    updated_at: now,
    managed_by: null,
  }
  await store.insertEndpoint(ctx.db, row)
  ctx.record({ action: 'webhook.created', target: targetOf(row), changes: recordedChanges(undefined, row) })
  return { endpoint: { ...toEndpoint(row), secret: secret.secret }, version: row.version }
}

/**
 * Another URL, and `active: true` at any time, start over: everything that waits is sent at once, including what happened
 * while the endpoint was inactive.
 *
 * @throws AppError `endpoint_not_found`, `precondition_failed`, `permission_denied`, `managed_elsewhere`
 */
export async function update(
  ctx: ChangeContext,
  { endpoint_id, input, expected, override }: Removal & { input: UpdateEndpoint },
): Promise<Versioned> {
  const found = await getForChange(ctx, endpoint_id, expected)
  if (input.url !== undefined || input.event_types !== undefined || input.active) refuseUnreadable(ctx)
  const next = {
    ...found,
    url: input.url ?? found.url,
    description: input.description ?? found.description,
    event_types: nextEventTypes(found, input),
    active: Number(input.active ?? found.active),
  }
  if (input.active !== undefined) next.disabled_reason = null
  if (input.active || next.url !== found.url) {
    next.failing_since = null
    next.failure_count = 0
    await resumeDeliveries(ctx.db, { endpoint_id, now: timestamp(ctx.now) })
  }
  const changes = recordedChanges(found, next)
  refuseManagedByFile(ctx, 'endpoint', found, { override, changed: Object.keys(changes) })
  const row = await save(ctx, found, next)
  ctx.record({ action: 'webhook.updated', target: targetOf(row), changes, ...overrideDetails(ctx, found, override) })
  return toVersioned(ctx, row)
}

type Removal = { endpoint_id: string; expected: ExpectedVersion; override?: boolean }

/** @throws AppError `endpoint_not_found`, `precondition_failed`, `managed_elsewhere` */
export async function remove(
  ctx: ChangeContext,
  { endpoint_id, expected, override }: Removal,
): Promise<{ endpoint_id: string }> {
  const found = await getForChange(ctx, endpoint_id, expected)
  refuseManagedByFile(ctx, 'endpoint', found, { override })
  await store.markDeleted(ctx.db, endpoint_id)
  const changes = recordedChanges(found, undefined)
  ctx.record({ action: 'webhook.deleted', target: targetOf(found), changes, ...overrideDetails(ctx, found, override) })
  return { endpoint_id }
}

/**
 * Creates a new secret. The previous one also signs for the configured overlap, unless it is to be revoked.
 *
 * @throws AppError `endpoint_not_found`
 */
export async function rotateSecret(
  ctx: ChangeContext,
  { endpoint_id, secret, revoke_previous }: { endpoint_id: string; secret: MadeSecret; revoke_previous: boolean },
): Promise<Versioned<NewEndpoint>> {
  const found = await getForChange(ctx, endpoint_id, undefined)
  const overlapSeconds = revoke_previous ? 0 : ctx.rules.keyRotationOverlapSeconds
  const row = await save(ctx, found, {
    ...found,
    secret: secret.stored,
    previous_secret: overlapSeconds > 0 ? found.secret : null,
    previous_expires_at: overlapSeconds > 0 ? timestamp(ctx.now + overlapSeconds * 1000) : null,
    sealed: overlapSeconds > 0 ? Math.min(found.sealed, secret.sealed) : secret.sealed,
  })
  ctx.record({ action: 'webhook.secret_rotated', target: targetOf(row), changes: { secret: 'changed' } })
  const { endpoint, version } = await toVersioned(ctx, row)
  return { endpoint: { ...endpoint, secret: secret.secret }, version }
}

/** Whether the current secret can be decrypted, and so sign beside a new one. @throws AppError `endpoint_not_found` */
export async function canSign(
  ctx: Context,
  endpointId: string,
  encryptionSecrets: readonly string[],
): Promise<boolean> {
  return isReadable(await getRow(ctx, endpointId, store.findEndpoint), encryptionSecrets)
}

/** @throws AppError `endpoint_not_found`, `precondition_failed` */
export async function getForChange(
  ctx: ChangeContext,
  endpointId: string,
  expected: ExpectedVersion,
): Promise<store.EndpointRow> {
  const found = await getRow(ctx, endpointId, store.findEndpointForChange)
  refuseUnexpected('endpoint', found, expected)
  return found
}

/** The audit target of an operation on an endpoint. */
export function targetOf({ endpoint_id, url }: Pick<store.EndpointRow, 'endpoint_id' | 'url'>): Target {
  return { kind: 'webhook', id: endpoint_id, name: new URL(url).host }
}

async function getRow(ctx: Context | ChangeContext, endpointId: string, find: typeof store.findEndpoint) {
  const found = isUuid(endpointId) ? await find(ctx.db, endpointId) : undefined
  if (found === undefined) throw new AppError('endpoint_not_found', 'There is no webhook endpoint with this id.')
  return found
}

/** Returns the changed row, with a new version unless nothing changed. */
async function save(ctx: ChangeContext, found: store.EndpointRow, next: store.EndpointRow): Promise<store.EndpointRow> {
  const columns = Object.keys(next) as (keyof store.EndpointRow)[]
  if (columns.every((column) => next[column] === found[column])) return found
  const row = { ...next, version: found.version + 1, updated_at: timestamp(ctx.now) }
  await store.updateEndpoint(ctx.db, row)
  return row
}

/** Otherwise a caller who may create endpoints, but read nothing, could have every event sent to their own server. */
function refuseUnreadable(ctx: ChangeContext): void {
  if (holds(ctx.actor.permissions, 'events:read')) return
  const detail = 'An endpoint receives what the change feed shows, so you also need the permission events:read.'
  throw new AppError('permission_denied', detail)
}

function recordedChanges(before: store.EndpointRow | undefined, after: store.EndpointRow | undefined): Changes {
  const members = ['url', 'description', 'event_types', 'active']
  const changes = changesOf(before && recordedState(before), after && recordedState(after), members)
  if (before && after && before.url !== after.url) changes.url ??= 'changed'
  return changes
}

/** Many receivers have a token in the query, which not every reader of the audit log may see. */
function recordedState(row: store.EndpointRow): Endpoint {
  const { origin, pathname, search } = new URL(row.url)
  return { ...toEndpoint(row), url: origin + pathname + (search && '?…') }
}

async function toVersioned(ctx: Context | ChangeContext, row: store.EndpointRow): Promise<Versioned> {
  return { endpoint: toEndpoint(row, await failureOf(ctx, row)), version: row.version }
}

function nextEventTypes(
  { event_types: before }: store.EndpointRow,
  { event_types: next }: UpdateEndpoint,
): string | null {
  if (next === undefined) return before
  return before !== null && next !== null && isSameSet(next, JSON.parse(before)) ? before : eventTypesText(next)
}

function eventTypesText(types: readonly string[] | null | undefined): string | null {
  return types == null ? null : JSON.stringify(types)
}
