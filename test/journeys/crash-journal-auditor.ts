/** Reads the audit of a service that is killed repeatedly, and compares it with the requests and their responses. */
import assert from 'node:assert/strict'
import { chainHash } from '../../src/record/journal/chain.ts'
import type { RecordRow } from '../../src/record/journal/rows.ts'
import type { Place, Service } from '../durability/process.ts'
import type { Follower } from './crash-journal-follower.ts'
import type { Ledger } from './crash-journal-load.ts'

/** The audit as it grows: each look reads what is new, and continues the chain. */
export class Auditor {
  readonly #place: Place
  readonly #rows: RecordRow[] = []
  readonly #byRequest = new Map<string, RecordRow[]>()

  constructor(place: Place) {
    this.#place = place
  }

  async look(service: Service): Promise<void> {
    // A reader of the audit sees all of it.
    assert.equal((await service.call('GET', '/audit?limit=1')).status, 200)
    const seq = this.#rows.at(-1)?.seq ?? 0
    const found = await this.#place.runSql(`SELECT * FROM audit_records WHERE seq > ${seq} ORDER BY seq`)
    for (const one of found) this.#add({ ...one, seq: Number(one.seq) } as RecordRow)
  }

  #add(row: RecordRow): void {
    const before = this.#rows.at(-1)
    assert.equal(row.seq, (before?.seq ?? 0) + 1)
    assert.equal(row.hash, chainHash(before?.hash ?? '', row))
    this.#rows.push(row)
    this.#byRequest.set(row.request_id, [...this.recordsOf(row.request_id), row])
  }

  recordsOf(requestId: string): RecordRow[] {
    return this.#byRequest.get(requestId) ?? []
  }

  get rows(): readonly RecordRow[] {
    return this.#rows
  }
}

export const brief = ({ action, outcome }: Pick<RecordRow, 'action' | 'outcome'>) => `${action} ${outcome}`

/** Every request has the records that it should have, in the order in which each client was answered. */
export function checkAudit(auditor: Auditor, ledger: Ledger): void {
  for (const act of ledger.done.values()) {
    assert.deepEqual(auditor.recordsOf(act.id).map(brief), [brief(act)], act.id)
  }
  for (const act of ledger.open.values()) {
    const found = auditor.recordsOf(act.id).map(brief)
    assert.ok(found.length === 0 || (found.length === 1 && found[0] === brief(act)), `${act.id}: ${found}`)
  }
  for (const ids of ledger.inOrder) {
    const seqs = ids.map((id) => auditor.recordsOf(id)[0]?.seq ?? 0)
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
    )
  }
}

/** What followers receive for each kind of record. */
const eventsOf: Record<string, string[]> = {
  'user.created success': ['user.created'],
  'user.updated success': ['user.updated'],
  'user.deleted success': ['user.deleted'],
  'user.restored success': ['user.restored'],
  'session.created success': ['user.signed_in', 'session.created'],
  'session.ended success': ['session.ended'],
  'key.created success': ['key.created'],
  'key.rotated success': ['key.rotated'],
  'key.revoked success': ['key.revoked'],
}

/** A change is in the feed exactly when it is in the audit: neither is there without the other. */
export function checkFeed(auditor: Auditor, { told }: Follower): void {
  const ids = new Set(auditor.rows.map(({ record_id }) => record_id))
  for (const id of told.keys()) assert.ok(ids.has(id), `${told.get(id)} without a record`)
  for (const row of auditor.rows) {
    if (row.action === 'roles.changed') continue
    const types = told.get(row.record_id) ?? []
    // Frequent sign-ins end a user's oldest sessions.
    const own = row.action === 'session.created' ? types.filter((type) => type !== 'session.ended') : types
    assert.deepEqual(own, eventsOf[brief(row)] ?? [], brief(row))
  }
}
