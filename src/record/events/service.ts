/**
 * The change feed: everything that happened to users, sessions, keys and roles, in the order of commits.
 * Leaves writing it to the journal, and making it shorter to compact.ts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../../store/db/db.ts'
import type { EventRow } from '../journal/store.ts'
import type { Position } from './position.ts'
import { type FeedState, readAfter } from './store.ts'

/** So many events are looked at together when only some are wanted, and so many for one request. */
const [lookSize, lookLimit] = [1000, 20_000]

export type Wanted = {
  limit: number
  /** Only these; null: all. */
  types: readonly string[] | null
  feed_id?: string | undefined
}

export type Page = {
  feed_id: string
  position: Position
  rows: EventRow[]
  /** Whether there are events behind the position, wanted or not. */
  hasMore: boolean
}

/**
 * The next events behind a position. None, but more behind them: of those that were looked at, none is wanted.
 *
 * @throws AppError `cursor_unknown`, `cursor_expired`
 */
export async function read(db: Db, from: Position, wanted: Wanted, signal?: AbortSignal): Promise<Page> {
  const { limit, types } = wanted
  const rows: EventRow[] = []
  let position = from
  for (let looked = lookSize; ; looked += lookSize) {
    const piece = await readPiece(db, position, { ...wanted, limit: limit - rows.length })
    rows.push(...piece.rows)
    position = piece.position
    const isFull = types === null || rows.length === limit || looked >= lookLimit
    if (isFull || !piece.hasMore || signal?.aborted) return { ...piece, rows }
    // SQLite reads in the turn of the caller: whoever wants little would keep all others from having theirs.
    await nextTurn()
  }
}

/** As `read`, in one step: it may find fewer than there are. */
export async function readPiece(db: Db, from: Position, { limit, types, feed_id }: Wanted): Promise<Page> {
  const look = types === null ? limit : lookSize
  const { state, reached, rows } = await readAfter(db, from.seq, { look, limit, types })
  const isCut = rows.length === limit
  const seq = (isCut ? rows.at(-1)?.seq : reached) ?? from.seq
  const position = { ...take(from, state, feed_id), seq }
  return { feed_id: state.feed_id, position, rows, hasMore: seq < state.newest }
}

/**
 * The position, when everything that is needed behind it is still there.
 *
 * @throws AppError `cursor_unknown`, `cursor_expired`
 */
function take({ seq, base, history = '' }: Position, state: FeedState, feedId = state.feed_id): Position {
  const { feed_id, newest, compacted_to } = state
  // The beginning is the same in every history.
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
