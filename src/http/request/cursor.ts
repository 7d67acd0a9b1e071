/** Cursors of pages: where the next page starts, as text that clients send back unchanged. */
import { AppError } from '../../core/errors.ts'
import { isUuid } from '../../lib/uuidv7.ts'

export function writeCursor(parts: readonly (string | number | null | undefined)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/**
 * Decodes a cursor. A client may have forged it, so the caller must validate each part.
 *
 * @throws AppError `bad_cursor`
 */
export function readCursor(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(parts)) return parts
  } catch (error) {
    throw badCursor(error)
  }
  throw badCursor()
}

/** Checks a cursor that is an id. @throws AppError `bad_cursor` */
export function checkIdCursor(cursor: string | undefined): void {
  if (cursor === undefined || isUuid(cursor)) return
  const detail =
    'The cursor is not valid for this list. Take it from the Link header of the previous page, or start without one.'
  throw new AppError('bad_cursor', detail)
}

/** Cuts off the row that was read beyond `limit`. `last` is the last row of the page, if another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number): { page: Row[]; last: Row | undefined } {
  return { page: rows.slice(0, limit), last: rows.length > limit ? rows[limit - 1] : undefined }
}

export function badCursor(cause?: unknown): AppError {
  const detail =
    'The cursor is not valid for this list. Take it from the Link header of the previous page, with the same sort, or start without one.'
  return new AppError('bad_cursor', detail, { cause })
}
