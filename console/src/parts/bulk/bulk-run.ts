/** Follows a bulk change line by line: counts, refused users, and the latest rows. */
import type { BulkLine } from 'rollbook/client'
import { downloadLine } from '../../../../src/lib/csv-formula.ts'
import { createRate } from '../../lib/rate.ts'

export type BulkRow = Extract<BulkLine, { type: 'row' }>

export type BulkState = {
  total: number | undefined
  done: number
  changed: number
  unchanged: number
  refused: number
  /** Refused because they are service accounts, and not counted as refused. */
  leftOut: number
  perSecond: number | undefined
  /** The first refused rows, to be shown. */
  refusals: readonly BulkRow[]
  recent: readonly BulkRow[]
}

export type BulkResult = BulkState & {
  /** The changed users, if they are few enough to be kept for an undo. */
  changedUsers: readonly BulkRow[] | undefined
  /** A CSV of all reported rows. */
  toCsv(): Blob
  /** A CSV of the links to hand over. Undefined if there are none. */
  linksToCsv: (() => Blob) | undefined
}

/** The queries that a change of users makes stale. */
export const changedKeys = [['users'], ['groups'], ['statistics'], ['deleted-users'], ['audit'], ['me']]

/** Some 10 MB. */
const mostUndoable = 100_000
const [mostRefusals, mostRecent, linesOfAPiece, pauseMs] = [500, 5, 5000, 150]

export const untouched: BulkState = {
  total: undefined,
  done: 0,
  changed: 0,
  unchanged: 0,
  refused: 0,
  leftOut: 0,
  perSecond: undefined,
  refusals: [],
  recent: [],
}

/** Reports the state periodically. If the stream is cut, `onCut` receives the result so far. */
export async function followBulk(
  lines: AsyncIterable<BulkLine>,
  {
    onState,
    onCut,
    now = () => performance.now(),
  }: { onState: (state: BulkState) => void; onCut: (result: BulkResult) => void; now?: () => number },
): Promise<BulkResult> {
  const rate = createRate()
  const pieces: Blob[] = []
  let texts = [downloadLine(['user_id', 'username', 'verdict', 'code', 'detail'])]
  const links: string[] = []
  let state: BulkState = untouched
  let changedUsers: BulkRow[] | undefined = []
  let reportedAt = Number.NEGATIVE_INFINITY

  const put = () => {
    if (texts.length > 0) pieces.push(new Blob([texts.map((text) => `${text}\r\n`).join('')]))
    texts = []
  }
  const addRow = (row: BulkRow) => {
    const { user_id, username, verdict, code = '', detail = '' } = row
    texts.push(downloadLine([user_id, username ?? '', verdict, code, detail]))
    if (texts.length >= linesOfAPiece) put()
    if (row.url !== undefined) links.push(downloadLine([username ?? '', row.url, row.expires_at ?? '']))
    if (verdict === 'changed' && changedUsers !== undefined) {
      if (changedUsers.length < mostUndoable) changedUsers.push(row)
      else changedUsers = undefined
    }
    const count = code === 'user_is_service_account' ? 'leftOut' : verdict
    state = {
      ...state,
      done: state.done + 1,
      [count]: state[count] + 1,
      recent: [row, ...state.recent.slice(0, mostRecent - 1)],
      ...(count === 'refused' && state.refusals.length < mostRefusals && { refusals: [...state.refusals, row] }),
    }
  }
  const result = (): BulkResult => {
    put()
    return {
      ...state,
      changedUsers,
      toCsv: () => new Blob(['\uFEFF', ...pieces], { type: csv }),
      linksToCsv: links.length === 0 ? undefined : () => linksFile(links),
    }
  }
  try {
    for await (const line of lines) {
      if (line.type === 'begin') state = { ...state, total: line.total }
      else if (line.type === 'row') addRow(line)
      else if (line.type === 'progress') {
        const { done, changed, unchanged, refused } = line
        state = { ...state, done, changed, unchanged, refused: refused - state.leftOut }
      } else {
        const { changed, unchanged, refused } = line
        const done = changed + unchanged + refused
        state = { ...state, done, changed, unchanged, refused: refused - state.leftOut }
      }
      if (now() - reportedAt < pauseMs) continue
      reportedAt = now()
      rate.note(state.done, reportedAt)
      state = { ...state, perSecond: rate.perSecond() }
      onState(state)
    }
  } catch (error) {
    onCut(result())
    throw error
  }
  // With `rows=refused`, changed users are counted but not named.
  if (changedUsers !== undefined && changedUsers.length !== state.changed) changedUsers = undefined
  return result()
}

const csv = 'text/csv;charset=utf-8'

function linksFile(links: readonly string[]): Blob {
  const lines = [downloadLine(['username', 'url', 'expires_at']), ...links]
  return new Blob(['\uFEFF', ...lines.map((line) => `${line}\r\n`)], { type: csv })
}
