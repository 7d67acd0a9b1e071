/**
 * The rules of signing keys: there is always one that signs, the next one is published before it signs, the one before
 * stays until its last token has ended. Leaves making, sealing and using them to key-pair.ts and ring.ts, which need
 * more than a change may. Each change runs in a transaction.
 */

import { timestamp } from '../../lib/instant.ts'
import { revoke } from '../../record/revocations/service.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { SigningKey } from './schema.ts'
import * as store from './store.ts'

/** Verifiers keep the published keys for 5 minutes, and nodes look for new ones each minute: three times that. */
export const publishedAheadMs = 15 * 60_000
/** So long a retired key stays published: the longest life of a token, and as much again for clocks and caches. */
export const retiredMs = 2 * 300_000

/** A key pair that was made before the change. */
export type MadeKey = Pick<store.SigningKeyRow, 'kid' | 'public_key' | 'private_key' | 'sealed'>

/** The one place that decides what of a row may leave. */
export function toSigningKey(row: store.SigningKeyRow, rows: readonly store.SigningKeyRow[], now: number): SigningKey {
  const { kid, created_at, signs_from, expires_at } = row
  const isNext = Date.parse(signs_from) > now
  const state = row === signingKeyOf(rows, now) ? 'signing' : isNext ? 'next' : 'retired'
  return { kid, state, created_at, signs_from, expires_at, public_key: JSON.parse(row.public_key) }
}

/** The newest that may sign by now. Of keys that may not yet, as after a clock was set back, the one that may first. */
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

/** At the start: makes the first key unless there is one. Nodes that start at once make one. */
export async function ensure(ctx: ChangeContext, { key }: { key: MadeKey }): Promise<{ added: boolean }> {
  await ctx.db.lock(['signing_keys'])
  if ((await store.listSigningKeys(ctx.db)).length > 0) return { added: false }
  await store.insertSigningKey(ctx.db, newRow(ctx, key, ctx.now))
  ctx.record({ action: 'signing_key.created', target: { kind: 'signing_key', id: key.kid } })
  return { added: true }
}

/** Each minute, by every node: the next key when it is due (none with `everyDays` 0), and an end to those that are over. */
export async function tend(
  ctx: ChangeContext,
  { key, everyDays }: { key: MadeKey; everyDays: number },
): Promise<{ added: boolean }> {
  await ctx.db.lock(['signing_keys'])
  await store.deleteExpiredSigningKeys(ctx.db, timestamp(ctx.now))
  const [newest] = await store.listSigningKeys(ctx.db)
  if (newest !== undefined && !isDue(newest, everyDays, ctx.now)) return { added: false }
  const { kid } = await addNext(ctx, key)
  recordRotation(ctx, kid)
  return { added: true }
}

/** Whether the next key is to be published now, so that it signs when the newest one has signed for so many days. */
export function isDue({ signs_from }: { signs_from: string }, everyDays: number, now: number): boolean {
  return everyDays > 0 && Date.parse(signs_from) + everyDays * 86_400_000 - publishedAheadMs <= now
}

/**
 * The next key before its time; one that is published already and does not sign yet is that. With `revoke_previous`, for
 * keys that somebody else may have: the new one signs at once, and every token of the others is refused from now on.
 */
export async function rotate(
  ctx: ChangeContext,
  { key, revoke_previous }: { key: MadeKey; revoke_previous: boolean },
): Promise<SigningKey> {
  await ctx.db.lock(['signing_keys'])
  const rows = await store.listSigningKeys(ctx.db)
  if (!revoke_previous) {
    const waiting = rows.find(({ signs_from }) => Date.parse(signs_from) > ctx.now)
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
  const target = { kind: 'signing_key', id: kid }
  ctx.record({ action: 'signing_key.rotated', target, ...(details && { details }) })
}

/** Puts sealed private keys in the place of plain ones. */
export async function sealAll(ctx: ChangeContext, keys: { kid: string; private_key: string }[]): Promise<number> {
  let sealed = 0
  for (const { kid, private_key } of keys) sealed += await store.sealSigningKey(ctx.db, kid, private_key)
  return sealed
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
