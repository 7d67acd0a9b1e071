/**
 * Checks that the records are those that were written: none changed, deleted or replaced. A pure function of the rows, so
 * that it can also run beside the service, on a backup, or by a third party.
 */
import { chainHash, digestOf, type RecordRow } from '../journal/service.ts'
import type { Link } from './audit.ts'
import { linkOf, prunedAction } from './pruned.ts'
import type { AuditCheckpoint } from './schema.ts'

/** The first broken record. `record_id` is null if the record cannot be named. */
export type Fault = { seq: number; record_id: string | null; detail: string }

export type Checks = {
  /** The last record deleted by retention, or seq 0. */
  base: Link
  /** An earlier end of the chain, stored elsewhere. */
  checkpoint?: AuditCheckpoint | undefined
  /** Users whose erasure is committed but not yet in the chain. */
  erased?: readonly string[]
}

export type Verifier = {
  /** Takes the rows in order. */
  add(row: RecordRow): void
  /** After the last row: returns the first fault, if any. */
  finish(): { records: number; head: Link; fault: Fault | undefined }
}

export const erasedAction = 'user.erased'

export function createVerifier({ base, checkpoint, erased = [] }: Checks): Verifier {
  let head: Link = base
  let last: RecordRow | undefined
  let records = 0
  let fault: Fault | undefined
  let announced = 0
  let first: RecordRow | undefined
  // Per user, the first record whose text is missing: the user's erasure must follow.
  const unexplained = new Map<string, Fault>()

  function add(row: RecordRow): void {
    first ??= row
    last = row
    records++
    if (fault === undefined) {
      fault = linkFault(head, row) ?? textFault(row) ?? checkpointFault(row)
      noteMissing(row)
    }
    if (fault === undefined && row.action === prunedAction) announced = linkOf(row.what)?.seq ?? announced
    // Also after a fault: this decides which of two faults comes first.
    if (row.action === erasedAction && row.outcome === 'success') unexplained.delete(row.target_id ?? '')
    head = { seq: Number(row.seq), hash: row.hash }
  }

  function checkpointFault(row: RecordRow): Fault | undefined {
    if (checkpoint?.seq !== Number(row.seq) || checkpoint.hash === row.hash) return undefined
    return faultOf(row, `the checkpoint of ${checkpoint.created_at} has another hash for it: the chain was rewritten`)
  }

  function noteMissing(row: RecordRow): void {
    const { who, who_digest, what, what_digest, actor_kind, actor_id, target_id } = row
    const note = (person: string, text: string) => {
      if (unexplained.has(person)) return
      unexplained.set(person, faultOf(row, `${text} is missing, but no erasure of that user follows`))
    }
    // A failed sign-in has no actor; the user whose name was tried was erased.
    const actor = actor_kind === 'anonymous' ? (target_id ?? '') : actor_id
    if (who === null && who_digest !== '') note(actor, 'its text about who acted (`who`)')
    if (what === null && what_digest !== '') note(target_id ?? '', 'its text about what was done (`what`)')
  }

  function baseFault(): Fault | undefined {
    if (base.seq === 0 || announced >= base.seq) return undefined
    const detail = `the records up to ${base.seq} were removed, but no ${prunedAction} record announces it`
    return first === undefined ? { seq: base.seq, record_id: null, detail } : faultOf(first, detail)
  }

  function endFault(): Fault | undefined {
    if (checkpoint === undefined) return undefined
    const { seq, hash, created_at } = checkpoint
    const end = { seq: head.seq, record_id: last?.record_id ?? null }
    if (seq > head.seq) {
      const missing = `seq ${head.seq + 1} to ${seq}, which the checkpoint of ${created_at} covers, are missing`
      return { ...end, detail: `it is the last one, and ${missing}` }
    }
    if (seq < base.seq) {
      return { ...end, detail: `the checkpoint of ${created_at} cannot be compared: retention has deleted its record` }
    }
    if (seq > base.seq || hash === base.hash) return undefined
    return { ...end, detail: `the checkpoint of ${created_at} has another hash for the record before the first one` }
  }

  return {
    add,
    finish() {
      for (const person of erased) unexplained.delete(person)
      const faults = [fault, ...unexplained.values(), baseFault(), endFault()].filter((one) => one !== undefined)
      return { records, head, fault: faults.toSorted((a, b) => a.seq - b.seq)[0] }
    },
  }
}

/** Whether the row is the next one, and its hash matches its members. */
function linkFault(previous: Link, row: RecordRow): Fault | undefined {
  const seq = Number(row.seq)
  const missing = seq - previous.seq - 1
  if (missing > 0) {
    const which = missing === 1 ? `record ${previous.seq + 1}` : `records ${previous.seq + 1} to ${seq - 1}`
    return faultOf(row, `${which} before it ${missing === 1 ? 'is' : 'are'} missing`)
  }
  if (row.hash === chainHash(previous.hash, row)) return undefined
  return faultOf(row, 'its hash does not match its members and the previous record: one of them was changed')
}

/** Whether the texts, where present, match the digests in the chain. */
function textFault(row: RecordRow): Fault | undefined {
  if (row.who !== null && digestOf(row.who) !== row.who_digest) {
    return faultOf(row, 'its text about who acted (`who`) was changed')
  }
  if (row.what !== null && digestOf(row.what) !== row.what_digest) {
    return faultOf(row, 'its text about what was done (`what`) was changed')
  }
  if (row.what !== null && !isPlacedAs(row, row.what)) {
    return faultOf(row, 'its organization is not the one that its text names')
  }
  return undefined
}

/** Lists of an organization find a record by its columns; the chain covers the text. */
function isPlacedAs(row: RecordRow, what: string): boolean {
  // Most texts name none, and need not be parsed.
  const named = what.includes('organization_id"') ? (JSON.parse(what) as Partial<RecordRow>) : {}
  const { organization_id = null, former_organization_id = null } = named
  return (
    (row.organization_id ?? null) === organization_id && (row.former_organization_id ?? null) === former_organization_id
  )
}

function faultOf({ seq, record_id }: RecordRow, detail: string): Fault {
  return { seq: Number(seq), record_id, detail }
}
