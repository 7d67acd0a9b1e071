/** A request for audit records in the terms of the store: filters, an order, a place to continue from. */
import type { Scope } from '../../core/scope.ts'
import { badCursor, readCursor, writeCursor } from '../../http/request/cursor.ts'
import { wholeMilliseconds } from '../../lib/instant.ts'
import type { ListAudit } from './schema.ts'

export type AuditFormat = 'json' | 'ndjson'

export type Filters = {
  actor?: string
  actor_kind?: string
  target?: string
  /** The organization to which the target belonged, or which it left. */
  organization?: string
  /** Whole actions, and prefixes such as `user.*`. */
  action?: readonly string[]
  outcome?: string
  /** A member that existed before and was changed. */
  changed?: string
  occurred_after?: string
  occurred_before?: string
  request_id?: string
}

export type AuditPlan = {
  scope: Scope
  filters: Filters
  descending: boolean
  /** The number of the previous page's last record. */
  after?: number
  /** Undefined: all matching records. */
  limit?: number
}

const defaultLimit = 100

/** @throws AppError `bad_cursor` */
export function planAudit(scope: Scope, query: ListAudit, format: AuditFormat): AuditPlan {
  const sort = query.sort ?? (format === 'json' ? '-seq' : 'seq')
  const limit = query.limit ?? (format === 'json' ? defaultLimit : undefined)
  return {
    scope,
    filters: planFilters(query),
    descending: sort === '-seq',
    ...(query.cursor !== undefined && { after: readSeq(query.cursor, sort) }),
    ...(limit !== undefined && { limit }),
  }
}

/** These records share one id, which finds them at once. */
const onlyIdOf: Readonly<Record<string, string>> = { anonymous: '', system: 'system' }

function planFilters(query: ListAudit): Filters {
  const filters: Filters = {}
  for (const name of ['actor', 'target', 'request_id'] as const) {
    if (query[name] !== undefined) filters[name] = textOrNothing(query[name])
  }
  if (query.organization !== undefined) filters.organization = textOrNothing(query.organization.toLowerCase())
  const id = query.actor === undefined ? onlyIdOf[query.actor_kind ?? ''] : undefined
  if (id !== undefined) filters.actor = id
  else if (query.actor_kind !== undefined) filters.actor_kind = query.actor_kind
  if (query.action !== undefined) filters.action = query.action
  if (query.outcome !== undefined) filters.outcome = query.outcome
  if (query.changed !== undefined) filters.changed = query.changed
  if (query.occurred_after !== undefined) {
    filters.occurred_after = wholeMilliseconds(query.occurred_after, { up: false })
  }
  if (query.occurred_before !== undefined) {
    filters.occurred_before = wholeMilliseconds(query.occurred_before, { up: true })
  }
  return filters
}

/** PostgreSQL refuses NUL in a text, and no id contains it, so search for a text that matches nothing. */
function textOrNothing(text: string): string {
  return text.includes('\0') ? '\u{fffd}' : text
}

export function cursorAt(seq: number, { descending }: Pick<AuditPlan, 'descending'>): string {
  return writeCursor([descending ? '-seq' : 'seq', seq])
}

/** Accepts only cursors written for this order, in their one canonical form. */
function readSeq(cursor: string, sort: string): number {
  const seq = Number(readCursor(cursor)[1])
  if (Number.isSafeInteger(seq) && seq >= 0 && cursor === cursorAt(seq, { descending: sort === '-seq' })) return seq
  throw badCursor()
}
