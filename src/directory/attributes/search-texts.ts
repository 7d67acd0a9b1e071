/**
 * Keeps the values of searchable and unique attributes in the search texts of users. A change of a user writes them at once.
 * After a change of a definition they are written in steps, between which other changes run: src/store/db/migrations/0064.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { system } from '../../core/actor.ts'
import { fold } from '../../lib/fold.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { attributesMark, indexStep, rowsInStep } from '../search/service.ts'
import { type Definitions, holdDefinitions } from './definitions.ts'
import type { AttributeValues } from './schema.ts'
import * as store from './store.ts'
import { readValues } from './values.ts'

/** How many characters of one value, and of all values together, can be found. A search has at most 256. */
const [mostOfValue, mostOfUser] = [256, 2048]
/** How many users one step reads. */
const atOnce = 200
/** How long one round works, so that the other jobs and a stop do not wait for all users. */
const roundMs = 30_000
/** How long the caller who changes a definition waits. */
const patienceMs = 5000

/** The part of a search text that attributes make; each value begins as a field does. */
export function attributeTexts(definitions: Definitions, values: AttributeValues): string {
  let all = ''
  for (const [name, value] of Object.entries(values)) {
    if (!definitions.get(name)?.isIndexed || typeof value === 'boolean') continue
    for (const text of Array.isArray(value) ? value : [String(value)]) {
      const field = `\n\n${[...fold(text)].slice(0, mostOfValue).join('')}`
      if (all.length + field.length <= mostOfUser) all += field
    }
  }
  return all === '' ? '' : attributesMark + all
}

/** The part of a search text that attributes made. */
export function attributeTextsIn(searchText: string): string {
  const start = searchText.indexOf(attributesMark)
  return start < 0 ? '' : searchText.slice(start)
}

/** Writes the search texts of the next users. Returns whether there are more. */
export async function refreshStep({ db, announce }: ChangeContext): Promise<boolean> {
  // First, as a change of a definition does: two transactions that lock the users and the place never wait for each other.
  const definitions = await holdDefinitions(db)
  const after = await store.findRefreshPlace(db)
  if (after === undefined) return false
  const rows = await store.holdSearchTexts(db, after, atOnce)
  const changed = rows.flatMap(({ user_id, attributes, search_text: before }) => {
    const own = before.slice(0, before.length - attributeTextsIn(before).length)
    const search_text = own + attributeTexts(definitions, readValues(attributes))
    return search_text === before ? [] : [{ user_id, search_text }]
  })
  if (changed.length > 0) {
    await store.replaceSearchTexts(db, changed)
    // A search reads the texts that wait for the index one by one, so this must not be faster than the index.
    if (db.engine === 'sqlite') while ((await indexStep(db)).rows === rowsInStep);
    announce({ kind: 'users_changed' })
  }
  const last = rows.length < atOnce ? undefined : rows.at(-1)?.user_id
  await store.setRefreshPlace(db, last)
  return last !== undefined
}

const running = new WeakMap<Storage, Promise<void>>()

/** The job: writes search texts that are due, for `roundMs` at most. Called meanwhile, it returns the work that runs. */
export function refreshSearchTexts(storage: Storage, now: number): Promise<void> {
  const refreshing = running.get(storage) ?? refresh(storage, now).finally(() => running.delete(storage))
  running.set(storage, refreshing)
  return refreshing
}

async function refresh(storage: Storage, now: number): Promise<void> {
  if (!(await store.isRefreshDue(storage.db))) return
  const request = { actor: system, now, requestId: 'housekeeping' }
  const endMs = performance.now() + roundMs
  while ((await storage.change('attributes.refresh_search_texts', undefined, request)).result) {
    if (performance.now() > endMs) return
  }
}

/** The same after a change of a definition. Returns when it is done, or before long; the job does the rest. */
export async function refreshSoon({ storage, log }: { storage: Storage; log: Logger }, now: number): Promise<void> {
  const refreshed = refreshSearchTexts(storage, now).catch((err: unknown) => {
    log.warn({ err }, 'could not refresh the search texts; retrying in a minute')
  })
  await Promise.race([refreshed, sleep(patienceMs, undefined, { ref: false })])
}
