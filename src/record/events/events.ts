/**
 * The change feed: everything that happened to users, sessions, keys and roles, in the order of commits.
 * Leaves writing it to the journal, and compaction to compact.ts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../../store/db/db.ts'
import type { EventRow } from '../journal/service.ts'
import type { Position } from './position.ts'
import { type FeedState, readAfter } from './store.ts'

/** How many events are scanned together if only some are wanted, and how many per request. */
const [lookSize, lookLimit] = [1000, 20_000]

export type Wanted = {
  limit: number
  /** Only these types; null: all. */
  types: readonly string[] | null
  feed_id?: string | undefined
}

export type Page = {
  feed_id: string
  position: Position
  rows: EventRow[]
  /** Whether there are events after the position, wanted or not. */
  hasMore: boolean
}

/**
 * Returns the next events after a position. An empty result with `has_more` means that none of the scanned ones is wanted.
 *
 * @throws AppError `cursor_unknown`, `cursor_expired`
 */
export async function read(db: Db, from: Position, wanted: Wanted, signal?: AbortSignal): Promise<Page> {
  const { limit, types } = wanted
  const rows: EventRow[] = []
  let position = from
  for (let examined = lookSize; ; examined += lookSize) {
    const piece = await readPiece(db, position, { ...wanted, limit: limit - rows.length })
    rows.push(...piece.rows)
    position = piece.position
    const isFull = types === null || rows.length === limit || examined >= lookLimit
    if (isFull || !piece.hasMore || signal?.aborted) return { ...piece, rows }
    // SQLite reads on the caller's turn: a client that wants few events would delay all others.
    await nextTurn()
  }
}

/** Like `read`, but in one step: it may find fewer than there are. */
export async function readPiece(db: Db, from: Position, { limit, types, feed_id }: Wanted): Promise<Page> {
  const look = types === null ? limit : lookSize
  const { state, reached, rows } = await readAfter(db, from.seq, { look, limit, types })
  const isCut = rows.length === limit
  const seq = (isCut ? rows.at(-1)?.seq : reached) ?? from.seq
  const position = { ...checked(from, state, feed_id), seq }
  return { feed_id: state.feed_id, position, rows, hasMore: seq < state.newest }
}

/**
 * Returns the position if everything after it is still there.
 *
 * @throws AppError `cursor_unknown`, `cursor_expired`
 */
function checked({ seq, base, history = '' }: Position, state: FeedState, feedId = state.feed_id): Position {
  const { feed_id, newest, compacted_to } = state
  // The start is the same in every history.
  if (seq === 0) return { seq, base: compacted_to }
  if (seq > newest || feedId !== feed_id || !feed_id.startsWith(history)) {
    const detail =
      'The change feed has a new history, for example because a backup was restored. Start over without `after`.'
    throw new AppError('cursor_unknown', detail)
  }
  if (seq >= compacted_to || base === compacted_to) return { seq, base }
  const detail =
    'This cursor is too old: events that you need to continue have been removed. Start over without `after`.'
  throw new AppError('cursor_expired', detail)
}
