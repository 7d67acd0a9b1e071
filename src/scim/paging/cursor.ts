/** Cursors of SCIM lists (RFC 9865 §2): a position, bound to the query that it continues. */
import { createHash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { readCursor, writeCursor } from '../../http/request/cursor.ts'
import { printFilter } from '../filter/print.ts'
import { ScimError } from '../protocol/errors.ts'
import { writeAttributePath } from '../schemas/attribute-path.ts'
import type { ListRequest } from './list-request.ts'

interface CursorContext {
  /** The path of the list: a cursor of `/Users` does not continue `/Groups`. */
  readonly endpoint: string
  readonly request: Pick<ListRequest, 'filter' | 'sortBy' | 'descending'>
  readonly now: Date
}

type Position = readonly (string | number | null | undefined)[]

/** Returns a cursor for the page that starts at a position. It has only unreserved URL characters (RFC 3986 §2.3). */
export function writeScimCursor(position: Position, context: CursorContext): string {
  return writeCursor([Math.floor(context.now.getTime() / 1000), digestOf(context), ...position])
}

/**
 * Returns the position. A client may have forged it, so the caller must validate each part.
 *
 * @throws ScimError `invalidCursor`, or `expiredCursor`
 */
export function readScimCursor(cursor: string, context: CursorContext, timeoutSeconds: number): unknown[] {
  const [issuedAt, digest, ...position] = partsOf(cursor)
  if (typeof issuedAt !== 'number' || digest !== digestOf(context)) throw invalidCursor()
  if (context.now.getTime() / 1000 - issuedAt > timeoutSeconds) {
    throw new ScimError(
      'expiredCursor',
      `The cursor has expired after ${timeoutSeconds} seconds. Start with an empty cursor.`,
    )
  }
  return position
}

function partsOf(cursor: string): unknown[] {
  try {
    return readCursor(cursor)
  } catch (error) {
    if (error instanceof AppError) throw invalidCursor()
    throw error
  }
}

function invalidCursor(): ScimError {
  return new ScimError(
    'invalidCursor',
    'The cursor does not belong to this query. Send the nextCursor of the page before with the same filter and order, or an empty cursor.',
  )
}

/** Short, because it only catches mistakes: a forged cursor gives no access to anything the client may not read. */
function digestOf({ endpoint, request: { filter, sortBy, descending } }: CursorContext): string {
  const query = [
    endpoint,
    filter && printFilter(filter),
    sortBy && writeAttributePath(sortBy).toLowerCase(),
    descending,
  ]
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12)
}
