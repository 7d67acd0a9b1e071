/**
 * The rules of signing keys: one always signs, the next one is published before it signs, the previous one stays until its
 * last token has expired. Leaves creating, sealing and using them to key-pair.ts and ring.ts, which need more than a change
 * may do. Each change runs in a transaction.
 */

import { timestamp } from '../../../lib/instant.ts'
import { revoke } from '../../../record/revocations/service.ts'
import type { ChangeContext, Context } from '../../../store/context.ts'
import type { SigningKey } from './schema.ts'
import * as store from './store.ts'

/** Verifiers cache the published keys for 5 minutes, and nodes poll each minute: three times that. */
const publishedAheadMs = 15 * 60_000
/** How long a retired key stays published: twice the longest life of a token, for clocks and caches. */
const retiredMs = 2 * 300_000

/** A key pair created before the change. */
export type MadeKey = Pick<store.SigningKeyRow, 'kid' | 'public_key' | 'private_key' | 'sealed'>

/** The only function that decides which columns of a row may leave. */
function toSigningKey(row: store.SigningKeyRow, rows: readonly store.SigningKeyRow[], now: number): SigningKey {
  const { kid, created_at, signs_from, expires_at } = row
  const isNext = Date.parse(signs_from) > now
  const state = row === signingKeyOf(rows, now) ? 'signing' : isNext ? 'next' : 'retired'
  return { kid, state, created_at, signs_from, expires_at, public_key: JSON.parse(row.public_key) }
}

/** Returns the newest key that may sign by now. If none may yet, as after a clock was set back, the first that will. */
export function signingKeyOf<Key extends { signs_from: string }>(
  newestFirst: readonly Key[],
  now: number,
): Key | undefined {
  return newestFirst.find(({ signs_from }) => Date.parse(signs_from) <= now) ?? newestFirst.at(-1)
}

export async function list(ctx: Context): Promise<SigningKey[]> {
  const rows = await store.listSigningKeys(ctx.db)
  return rows.map((row) => toSigningKey(row, rows, ctx.now))
}

/** At the start: creates the first key unless one exists. Nodes that start at once create one. */
export async function ensure(ctx: ChangeContext, { key }: { key: MadeKey }): Promise<{ added: boolean }> {
  await ctx.db.lock(['signing_keys'])
  if ((await store.listSigningKeys(ctx.db)).length > 0) return { added: false }
  await store.insertSigningKey(ctx.db, newRow(ctx, key, ctx.now))
  ctx.record({ action: 'signing_key.created', target: { kind: 'signing_key', id: key.kid } })
  return { added: true }
}

/** Each minute, on every node: creates the next key when it is due (never if `everyDays` is 0), and deletes expired ones. */
export async function tend(
  ctx: ChangeContext,
  { key, everyDays }: { key: MadeKey; everyDays: number },
): Promise<{ added: boolean }> {
  await ctx.db.lock(['signing_keys'])
  await store.deleteExpiredSigningKeys(ctx.db, timestamp(ctx.now))
  const [newest] = await store.listSigningKeys(ctx.db)
  if (newest !== undefined && !isDue(newest, algorithmOf(newest), { everyDays, alg: algorithmOf(key) }, ctx.now)) {
    return { added: false }
  }
  const { kid } = await addNext(ctx, key)
  recordRotation(ctx, kid)
  return { added: true }
}

/**
 * Whether to publish the next key now: so that it signs when the newest one has signed for that many days, or at once for another
 * algorithm. The newest must sign by then, or two nodes with different settings would create key after key.
 */
export function isDue(
  { signs_from }: { signs_from: string },
  alg: string,
  wanted: { everyDays: number; alg: string },
  now: number,
): boolean {
  const signsFromMs = Date.parse(signs_from)
  if (alg !== wanted.alg && signsFromMs <= now) return true
  return wanted.everyDays > 0 && signsFromMs + wanted.everyDays * 86_400_000 - publishedAheadMs <= now
}

function algorithmOf({ public_key }: Pick<MadeKey, 'public_key'>): string {
  return JSON.parse(public_key).alg
}

/**
 * Creates the next key early; a published one that does not sign yet is used instead. With `revoke_previous`, for leaked
 * keys, the new one signs at once, and every token of the others is refused from now on.
 */
export async function rotate(
  ctx: ChangeContext,
  { key, revoke_previous }: { key: MadeKey; revoke_previous: boolean },
): Promise<SigningKey> {
  await ctx.db.lock(['signing_keys'])
  const rows = await store.listSigningKeys(ctx.db)
  if (!revoke_previous) {
    const waiting = rows.find((row) => Date.parse(row.signs_from) > ctx.now && algorithmOf(row) === algorithmOf(key))
    const next = waiting ?? (await addNext(ctx, key))
    recordRotation(ctx, next.kid)
    return toSigningKey(next, [next, ...rows.filter((row) => row !== next)], ctx.now)
  }
  for (const { kid } of rows) {
    await store.deleteSigningKey(ctx.db, kid)
    revoke(ctx, { kind: 'signing_key', id: kid })
  }
  const row = newRow(ctx, key, ctx.now)
  await store.insertSigningKey(ctx.db, row)
  recordRotation(ctx, row.kid, { revoked: rows.map(({ kid }) => kid) })
  return toSigningKey(row, [row], ctx.now)
}

function recordRotation(ctx: ChangeContext, kid: string, details?: { revoked: string[] }): void {
  const target = { kind: 'signing_key', id: kid } as const
  ctx.record({ action: 'signing_key.rotated', target, ...(details && { details }) })
}

async function addNext(ctx: ChangeContext, key: MadeKey): Promise<store.SigningKeyRow> {
  const from = ctx.now + publishedAheadMs
  await store.retireSigningKeys(ctx.db, { at: timestamp(from), expires_at: timestamp(from + retiredMs) })
  const row = newRow(ctx, key, from)
  await store.insertSigningKey(ctx.db, row)
  return row
}

function newRow(ctx: ChangeContext, key: MadeKey, signsFrom: number): store.SigningKeyRow {
  return {
    ...key,
    created_at: timestamp(ctx.now),
    signs_from: timestamp(signsFrom),
    retired_at: null,
    expires_at: null,
  }
}
