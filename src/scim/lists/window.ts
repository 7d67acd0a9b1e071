/** The position of a page among all matches, with index paging and with cursors. */
import { isUuid } from '../../lib/uuidv7.ts'
import { readScimCursor, writeScimCursor } from '../paging/cursor.ts'
import type { ListRequest } from '../paging/list-request.ts'
import type { ListPlace } from '../paging/list-response.ts'
import { ScimError } from '../protocol/errors.ts'
import { scimLimits } from './limits.ts'

/** The last user of the page before, as the list of users has positions. */
export type Position = { user_id: string } | { value: string | null; user_id: string }

export interface Window {
  /** How many matches precede the page. */
  readonly skipped: number
  readonly count: number
  /** The position to continue from, if the cursor has one; otherwise matches are counted. */
  readonly after: Position | undefined
}

export interface Asked {
  /** The path of the list: a cursor of `/Users` does not continue `/Groups`. */
  readonly endpoint: string
  readonly request: ListRequest
  /** Epoch milliseconds. */
  readonly now: number
}

/** @throws ScimError `invalidCursor` or `expiredCursor` */
export function windowOf({ endpoint, request, now }: Asked): Window {
  const { page } = request
  if (page.by === 'index') return { skipped: page.startIndex - 1, count: page.count, after: undefined }
  if (page.cursor === undefined) return { skipped: 0, count: page.count, after: undefined }
  const context = { endpoint, request, now: new Date(now) }
  const [skipped, user_id, value] = readScimCursor(page.cursor, context, scimLimits.cursorTimeoutSeconds)
  const isPlace = user_id === undefined || (typeof user_id === 'string' && isUuid(user_id))
  const isValue = value === undefined || value === null || (typeof value === 'string' && !value.includes('\0'))
  if (!Number.isSafeInteger(skipped) || (skipped as number) < 0 || !isPlace || !isValue) {
    throw new ScimError('invalidCursor', 'The cursor is not one of ours. Start with an empty cursor.')
  }
  const after = user_id === undefined ? undefined : value === undefined ? { user_id } : { value, user_id }
  return { skipped: skipped as number, count: page.count, after }
}

/** Returns the response's paging members. `next`: the position of the next page, if known. */
export function placeOf(
  { endpoint, request, now }: Asked,
  { skipped, count }: Window,
  found: { total: number; shown: number; next?: Position | undefined },
): ListPlace {
  const { total, shown, next } = found
  if (request.page.by === 'index') return { totalResults: total, startIndex: skipped + 1 }
  const context = { endpoint, request, now: new Date(now) }
  const end = skipped + shown
  const position = next === undefined ? [] : [next.user_id, ...('value' in next ? [next.value] : [])]
  const isLast = (shown === 0 && count > 0) || (next === undefined && end >= total)
  return {
    totalResults: total,
    ...(!isLast && { nextCursor: writeScimCursor([end, ...position], context) }),
    ...(skipped > 0 && { previousCursor: writeScimCursor([Math.max(skipped - count, 0)], context) }),
  }
}
