/**
 * Reads the audit log: which records match, how they are shown, and where the chain ends. Leaves writing to journal/,
 * verification to verify.ts, deletion to retention.ts.
 */
import type { Scope } from '../../core/scope.ts'
import type { Db } from '../../store/db/db.ts'
import { findState } from '../../store/state.ts'
import { findHead, type RecordRow } from '../journal/service.ts'
import type { AuditPlan } from './plan.ts'
import type { AuditCheckpoint, AuditRecord } from './schema.ts'
import * as store from './store.ts'
import { revealedTo } from './within-organization.ts'

/** A place in the chain: the number and hash of a record. */
export type Link = { seq: number; hash: string }

/** The JSON texts of a record, without the salt. */
type Who = { name?: string; acts_as?: string; address?: string; user_agent?: string; organization_id?: string }
type What = {
  name?: string
  changes?: Record<string, unknown>
  details?: Record<string, unknown>
  related_organization_id?: string
}

/** The only function that decides which columns of a row may leave. */
function toAuditRecord(row: RecordRow, scope: Scope): AuditRecord {
  const { seq, record_id, occurred_at, action, outcome, code, key_id, session_id, request_id, hash } = row
  const who = read<Who>(row.who)
  const what = read<What>(row.what)
  const record: AuditRecord = {
    seq: Number(seq),
    record_id,
    occurred_at,
    action,
    outcome,
    code,
    actor: {
      kind: row.actor_kind as AuditRecord['actor']['kind'],
      id: row.actor_id,
      name: who.name ?? null,
      key_id,
      session_id,
      ...(who.acts_as !== undefined && { acts_as: who.acts_as }),
    },
    target:
      row.target_kind === null || row.target_id === null
        ? null
        : { kind: row.target_kind, id: row.target_id, name: what.name ?? null },
    changes: what.changes ?? null,
    details: what.details ?? null,
    address: who.address ?? null,
    user_agent: who.user_agent ?? null,
    request_id,
    erased: isErased(row),
    hash,
  }
  const named = { actorsPlace: who.organization_id, relatedPlace: what.related_organization_id }
  return revealedTo(scope, record, row, named)
}

/** A damaged text must not hide the records around it; verification reports the damage. */
function read<T extends object>(text: string | null): Partial<T> {
  try {
    return (text === null ? null : (JSON.parse(text) as Partial<T> | null)) ?? {}
  } catch {
    return {}
  }
}

/** The digest remains after the text was erased. */
function isErased({ who, what, who_digest, what_digest }: RecordRow): boolean {
  return (who === null && who_digest !== '') || (what === null && what_digest !== '')
}

/** Returns a record as JSON, with its number. */
export type Found = { seq: number; text: string }

export async function find(db: Db, search: store.Search): Promise<Found[]> {
  const rows = await store.findRecords(db, search)
  return rows.map((row) => ({ seq: Number(row.seq), text: JSON.stringify(toAuditRecord(row, search.scope)) }))
}

/** Returns the newest records about this target, newest first, as a caller with this scope sees them. */
export async function findLatestAbout(
  db: Db,
  scope: Scope,
  { target, limit }: { target: string; limit: number },
  filters: Pick<AuditPlan['filters'], 'action' | 'outcome'> = {},
): Promise<AuditRecord[]> {
  const range = { above: 0, below: Number.MAX_SAFE_INTEGER }
  const search = { scope, filters: { ...filters, target }, descending: true, range, limit }
  return (await store.findRecords(db, search)).map((row) => toAuditRecord(row, scope))
}

/** A page of this size is read and serialized faster than it could be handed to another thread. */
const quickRows = 101

export function isQuick({ scope, filters, limit }: store.Search): boolean {
  return limit <= quickRows && store.isIndexed({ scope, filters })
}

/** The range from the last record deleted by retention to the newest one. */
export async function ends(db: Db): Promise<{ base: Link; head: Link }> {
  const base = await findBase(db)
  const head = await findHead(db)
  return { base, head: head === undefined ? base : { seq: Number(head.seq), hash: head.hash } }
}

export async function findBase(db: Db): Promise<Link> {
  const state = await findState(db, 'audit_base')
  return state === undefined ? { seq: 0, hash: '' } : (JSON.parse(state) as Link)
}

/** Returns the end of the chain. The caller reads all of this in one consistent view. */
export async function checkpoint(db: Db, { created_at }: { created_at: string }): Promise<AuditCheckpoint> {
  const { base, head } = await ends(db)
  return { seq: head.seq, count: await store.countRecords(db), hash: head.hash, created_at, base_seq: base.seq }
}

/** How many records are scanned at a time if no index tells which match: 0.1 s. */
const windowSize = 100_000
const pieceRows = 500

export type Find = (search: store.Search) => Promise<Found[]>

/**
 * Yields the matching records in order, in batches, up to the newest one at the start. A search with few matches is cut
 * into windows, so that other readers get their turn in between.
 */
export async function* walk(
  find: Find,
  { scope, filters, descending, after, limit }: AuditPlan,
  { base, head }: { base: Link; head: Link },
): AsyncGenerator<Found[], undefined> {
  const size = store.isIndexed({ scope, filters }) ? Number.MAX_SAFE_INTEGER : windowSize
  const rest = { above: base.seq, below: head.seq + 1 }
  if (after !== undefined && descending) rest.below = Math.min(rest.below, after)
  if (after !== undefined && !descending) rest.above = Math.max(rest.above, after)
  let left = limit ?? Number.POSITIVE_INFINITY
  while (left > 0 && rest.below - rest.above > 1) {
    const range = descending
      ? { above: Math.max(rest.above, rest.below - 1 - size), below: rest.below }
      : { above: rest.above, below: Math.min(rest.below, rest.above + 1 + size) }
    const rows = Math.min(left, limit === undefined ? pieceRows : left)
    const found = await find({ scope, filters, descending, range, limit: rows })
    const last = found.length === rows ? found.at(-1) : undefined
    // Without a last match, the whole window was scanned.
    if (descending) rest.below = last?.seq ?? range.above + 1
    else rest.above = last?.seq ?? range.below - 1
    left -= found.length
    if (found.length > 0) yield found
  }
}

/** Returns the number of the last record before the first one that is not older than this instant. */
export async function lastBefore(db: Db, { before }: { before: string }): Promise<number> {
  const oldestKept = await store.findOldestKept(db, before)
  return oldestKept === undefined ? (await ends(db)).head.seq : oldestKept - 1
}
