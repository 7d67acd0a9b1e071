/**
 * The journal of a store: who did what, and what others need to follow it, in the same commit as each change. Leaves the
 * content to the services of users, sessions and keys, and reading to audit/ and events/.
 */

import { timestamp } from '../../lib/instant.ts'
import type { RecordedRequest } from '../../store/context.ts'
import type { Transaction } from '../../store/db/db.ts'
import type { AuditEntry, EventEntry, Target } from '../../store/journal-entry.ts'
import { tally } from '../statistics/service.ts'
import { fillIndexes } from './by-id.ts'
import { chainHash, digestOf, salted } from './chain.ts'
import { recordedActor } from './entry.ts'
import { type EventRow, findHead, findNewestEvent, type RecordRow } from './rows.ts'
import * as store from './store.ts'

/** A record without its place in the chain, an event without its number. */
type Unchained = Omit<RecordRow, 'seq' | 'hash'>
type Unnumbered = Omit<EventRow, 'seq'>

/** The entries of one change, or of several that share a commit. */
export type Entry = { records: Unchained[]; events: Unnumbered[] }

/** How many entries are settled at a time: one transaction, and others wait for it. */
export const settleLimit = 500

/** Collects a change's entries until it is certain to commit. */
export class Collector {
  readonly #records: { entry: AuditEntry; by: RecordedRequest | undefined }[] = []
  readonly #events: EventEntry[] = []

  record(entry: AuditEntry): void {
    // Two records of one operation would count it twice.
    if (this.#records.length > 0) throw new Error(`A second audit record: ${entry.action}.`)
    this.#records.push({ entry, by: undefined })
  }

  recordFor(by: RecordedRequest, entry: AuditEntry): void {
    this.#records.push({ entry, by })
  }

  emit(event: EventEntry): void {
    this.#events.push(event)
  }

  get isEmpty(): boolean {
    return this.#records.length === 0 && this.#events.length === 0
  }

  entry(ctx: RecordedRequest, newId: () => string): Entry {
    const records = this.#records.map(({ entry, by = ctx }) => toRow(entry, by, newId()))
    const id = records[0]?.record_id ?? newId()
    const occurred_at = timestamp(ctx.now)
    const events = this.#events.map((event, n) => ({ event_id: `${id}.${n}`, ...event, occurred_at }))
    return { records, events }
  }
}

function toRow(entry: AuditEntry, by: RecordedRequest, record_id: string): Unchained {
  const {
    action,
    outcome = 'success',
    code = null,
    actor = recordedActor(by.actor),
    target,
    changes,
    details,
    related,
  } = entry
  const { name, acts_as, organization_id: actors } = actor
  const who = salted({ name: name || undefined, acts_as, ...(entry.origin ?? by.origin), organization_id: actors })
  const { organization_id, former_organization_id } = placesOf(target)
  const what = salted({
    name: target?.name,
    changes,
    details,
    organization_id: organization_id ?? undefined,
    former_organization_id: former_organization_id ?? undefined,
    related_organization_id: related?.organization_id ?? undefined,
  })
  return {
    record_id,
    occurred_at: timestamp(by.now),
    action,
    outcome,
    code,
    actor_kind: actor.kind,
    actor_id: storable(actor.id),
    key_id: actor.key_id ?? null,
    session_id: actor.session_id ?? null,
    target_kind: target?.kind ?? null,
    target_id: target === undefined ? null : storable(target.id),
    request_id: by.requestId,
    who,
    what,
    who_digest: digestOf(who),
    what_digest: digestOf(what),
    organization_id,
    former_organization_id,
  }
}

/** Where the target belongs, and where it belonged before its move. */
function placesOf(target: Target | undefined): Pick<RecordRow, 'organization_id' | 'former_organization_id'> {
  const { organization_id = null, former_organization_id = null } = target ?? {}
  const isMoved = former_organization_id !== organization_id
  return { organization_id, former_organization_id: isMoved ? former_organization_id : null }
}

/** PostgreSQL's indexes accept no text much longer than this. */
const longestId = 1024

/** Another issuer's subjects can be any text, and PostgreSQL stores neither NUL nor unpaired surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd').slice(0, longestId)
}

/** On SQLite changes run one after another: their entries are chained and numbered at once, those of a commit together. */
async function append(db: Transaction, entries: readonly Entry[]): Promise<void> {
  let head: Head | undefined = await findHead(db)
  for (const { records } of entries) {
    for (const record of records) {
      const row = next(head, record)
      await store.insertRecord(db, row)
      head = row
    }
  }
  for (const { events } of entries) {
    for (const event of events) await store.insertEvent(db, event)
  }
  await tally(db, entries)
}

/** Like `append`, and keeps the indexes. */
export async function appendIndexed(db: Transaction, entries: readonly Entry[]): Promise<void> {
  await append(db, entries)
  await fillIndexes(db)
}

type Head = Pick<RecordRow, 'seq' | 'hash'>

/** Gives the record its place. It is not copied: that costs as much as the hash. */
function next(head: Head | undefined, record: Unchained): RecordRow {
  const row = record as RecordRow
  row.seq = Number(head?.seq ?? 0) + 1
  row.hash = chainHash(head?.hash ?? '', row)
  return row
}

/**
 * On PostgreSQL changes would wait for each other if each locked the head of the chain until its commit. So their entries
 * are written unnumbered and settled afterwards. The entries of one transaction become one.
 */
export async function writePending(db: Transaction, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return
  const records = entries.flatMap((entry) => entry.records)
  const events = entries.flatMap((entry) => entry.events)
  await store.insertPending(db, JSON.stringify({ records, events } satisfies Entry))
}

/**
 * Gives committed entries their numbers and their places in the chain. Returns how many, at most `settleLimit`. Only one
 * node does so at a time, so no gap can be filled later. `after`: everything up to this id is known to be settled.
 */
export async function settlePending(db: Transaction, after = 0): Promise<number> {
  // Sent together but run in order: what the read sees was committed before the lock was granted.
  const [, texts, newest, before] = await Promise.all([
    db.lock(['journal']),
    store.takePending(db, after, settleLimit),
    findHead(db),
    findNewestEvent(db),
  ])
  const entries = texts.map((text) => JSON.parse(text) as Entry)
  let head: Head | undefined = newest
  const records = entries
    .flatMap((entry) => entry.records)
    .map((record) => {
      const row = next(head, record)
      head = row
      return row
    })
  const events = entries.flatMap((entry) => entry.events).map((event, n) => ({ seq: before + n + 1, ...event }))
  await Promise.all([
    records.length > 0 && store.insertRecords(db, records),
    events.length > 0 && store.insertEvents(db, events),
    tally(db, entries),
  ])
  return entries.length
}
