/** What a request for audit records asks for, in the terms of the store: filters, an order, a place to go on from. */
import { badCursor, readCursor, writeCursor } from '../../http/request/cursor.ts'
import { wholeMilliseconds } from '../../lib/instant.ts'
import type { ListAudit } from './schema.ts'

export type AuditFormat = 'json' | 'ndjson'

export type Filters = {
  actor?: string
  actor_kind?: string
  target?: string
  /** Whole actions, and beginnings such as `user.*`. */
  action?: readonly string[]
  outcome?: string
  occurred_after?: string
  occurred_before?: string
  request_id?: string
}

export type AuditPlan = {
  filters: Filters
  descending: boolean
  /** The number of the last record of the page before. */
  after?: number
  /** Undefined: all that match. */
  limit?: number
}

const defaultLimit = 100

/** @throws AppError `bad_cursor` */
export function planAudit(query: ListAudit, format: AuditFormat): AuditPlan {
  const sort = query.sort ?? (format === 'json' ? '-seq' : 'seq')
  const limit = query.limit ?? (format === 'json' ? defaultLimit : undefined)
  return {
    filters: planFilters(query),
    descending: sort === '-seq',
    ...(query.cursor !== undefined && { after: readSeq(query.cursor, sort) }),
    ...(limit !== undefined && { limit }),
  }
}

/** There is one id that all of these have, and by it they are found at once. */
const onlyIdOf: Readonly<Record<string, string>> = { anonymous: '', system: 'system' }

function planFilters(query: ListAudit): Filters {
  const filters: Filters = {}
  for (const name of ['actor', 'target', 'request_id'] as const) {
    if (query[name] !== undefined) filters[name] = textOrNothing(query[name])
  }
  const id = query.actor === undefined ? onlyIdOf[query.actor_kind ?? ''] : undefined
  if (id !== undefined) filters.actor = id
  else if (query.actor_kind !== undefined) filters.actor_kind = query.actor_kind
  if (query.action !== undefined) filters.action = query.action
  if (query.outcome !== undefined) filters.outcome = query.outcome
  if (query.occurred_after !== undefined) {
    filters.occurred_after = wholeMilliseconds(query.occurred_after, { up: false })
  }
  if (query.occurred_before !== undefined) {
    filters.occurred_before = wholeMilliseconds(query.occurred_before, { up: true })
  }
  return filters
}

/** PostgreSQL refuses a NUL in a text, and no id has one: it is sought as one that nothing has. */
function textOrNothing(text: string): string {
  return text.includes('\0') ? '\u{fffd}' : text
}

export function cursorAt(seq: number, { descending }: Pick<AuditPlan, 'descending'>): string {
  return writeCursor([descending ? '-seq' : 'seq', seq])
}

/** Exactly one that was written for this order: there is no second way to write it. */
function readSeq(cursor: string, sort: string): number {
  const seq = Number(readCursor(cursor)[1])
  if (Number.isSafeInteger(seq) && seq >= 0 && cursor === cursorAt(seq, { descending: sort === '-seq' })) return seq
  throw badCursor()
}
