/** The position of a page among all matches, with index paging and with cursors. */
import { isUuid } from '../../lib/uuidv7.ts'
import { readScimCursor, writeScimCursor } from '../paging/cursor.ts'
import type { ListRequest } from '../paging/list-request.ts'
import type { ListPlace } from '../paging/list-response.ts'
import { compareKeys, type Key } from '../paging/sort.ts'
import { ScimError } from '../protocol/errors.ts'
import { scimLimits } from './limits.ts'

/** Where a resource stands in an order: by its key, then by its id. */
export interface Mark {
  readonly id: string
  /** Null in the default order, and without a value. */
  readonly key: Key
  /** In a search of all types. */
  readonly type?: 'User' | 'Group'
}

/**
 * Where a page of a cursor starts, whatever is created and deleted meanwhile (RFC 9865 §2): after a resource, or backwards from it.
 * Without a mark: at the beginning, or backwards at the end.
 */
export interface Place {
  readonly backwards: boolean
  readonly mark: Mark | undefined
}

export interface Window {
  /** How many matches precede the page; 0 with a cursor. */
  readonly skipped: number
  readonly count: number
  /** Undefined on the first page, and with index paging. */
  readonly place: Place | undefined
}

export interface Asked {
  /** The path of the list: a cursor of `/Users` does not continue `/Groups`. */
  readonly endpoint: string
  readonly request: ListRequest
  /** Epoch milliseconds. */
  readonly now: number
}

/** The marks of a page in their order, and whether there are matches beyond it in the direction of reading. */
export type Marked = { readonly marks: readonly Mark[]; readonly more: boolean }

/** @throws ScimError `invalidCursor` or `expiredCursor` */
export function windowOf({ endpoint, request, now }: Asked): Window {
  const { page } = request
  const { count } = page
  if (page.by === 'index') return { skipped: page.startIndex - 1, count, place: undefined }
  if (page.cursor === undefined) return { skipped: 0, count, place: undefined }
  const context = { endpoint, request, now: new Date(now) }
  const parts = readScimCursor(page.cursor, context, scimLimits.cursorTimeoutSeconds)
  return { skipped: 0, count, place: parts.length === 0 ? undefined : readPlace(parts) }
}

function readPlace([direction, id, key, type]: unknown[]): Place {
  const isKey =
    key === null || typeof key === 'number' || (typeof key === 'string' && key.isWellFormed() && !key.includes('\0'))
  const isType = type === undefined || type === 'User' || type === 'Group'
  if ((direction !== 'after' && direction !== 'before') || typeof id !== 'string' || !isUuid(id) || !isKey || !isType) {
    throw foreignCursor()
  }
  return { backwards: direction === 'before', mark: { id, key, ...(type !== undefined && { type }) } }
}

export function foreignCursor(): ScimError {
  return new ScimError('invalidCursor', 'The cursor is not one of ours. Start with an empty cursor.')
}

/** Returns the response's paging members. */
export function placeOf(
  { endpoint, request, now }: Asked,
  window: Window,
  { total, ...page }: Marked & { total: number },
): ListPlace {
  if (request.page.by === 'index') return { totalResults: total, startIndex: window.skipped + 1 }
  const context = { endpoint, request, now: new Date(now) }
  const { next, previous } = edgesOf(window, page)
  return {
    totalResults: total,
    ...(next && { nextCursor: writeScimCursor(partsOf(next), context) }),
    ...(previous && { previousCursor: writeScimCursor(partsOf(previous), context) }),
  }
}

const beginning: Place = { backwards: false, mark: undefined }

function edgesOf({ place, count }: Window, { marks, more }: Marked): { next?: Place; previous?: Place } {
  if (count === 0) return more ? { next: place ?? beginning } : {}
  const [first, last] = [marks[0], marks.at(-1)]
  if (first === undefined) return place?.backwards ? { next: beginning } : {}
  const [next, previous] = [
    { backwards: false, mark: last },
    { backwards: true, mark: first },
  ]
  if (place?.backwards) return { next, ...(more && { previous }) }
  return { ...(more && { next }), ...(place && { previous }) }
}

function partsOf({ backwards, mark }: Place): (string | number | null)[] {
  if (mark === undefined) return []
  const { id, key, type } = mark
  return [backwards ? 'before' : 'after', id, key, ...(type === undefined ? [] : [type])]
}

/** Sorts all matches and cuts a page out. */
export function cut(
  matches: readonly Mark[],
  { skipped, count, place }: Window,
  { descending }: { descending: boolean },
): Marked {
  const compare = (a: Mark, b: Mark) =>
    (descending ? -1 : 1) * compareKeys(a.key, b.key) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  const sorted = matches.toSorted(compare)
  const mark = place?.mark
  if (place?.backwards) {
    const end = mark === undefined ? sorted.length : sorted.filter((one) => compare(one, mark) < 0).length
    const start = Math.max(end - count, 0)
    return { marks: sorted.slice(start, end), more: start > 0 }
  }
  const start = mark === undefined ? skipped : sorted.filter((one) => compare(one, mark) <= 0).length
  const end = start + count
  return { marks: sorted.slice(start, end), more: end < sorted.length }
}
