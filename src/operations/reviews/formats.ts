/** The rows of a review as JSON, NDJSON, CSV, or a page to print. */
import { AppError } from '../../core/errors.ts'
import { protectCell } from '../../lib/csv-formula.ts'
import { Html, html } from '../../lib/html.ts'
import { joinNames } from '../../lib/name-list.ts'
import type { Db } from '../../store/db/db.ts'
import { get, toRow } from './reviews.ts'
import type { Review, ReviewRow, RowState } from './schema.ts'
import { rowsOf } from './seal.ts'

export type ReviewFormat = 'json' | 'ndjson' | 'csv' | 'html'
export type RowsPlan = { review_id: string; state?: RowState | undefined; format: ReviewFormat }

export const contentTypes: Record<ReviewFormat, string> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  html: 'text/html; charset=utf-8',
}

const pieceRows = 500

type Writer = { opening: string; piece(rows: readonly ReviewRow[], isFirst: boolean): string; closing: string }

/** @throws AppError `review_not_found` */
export async function* writeRows(db: Db, { review_id, state, format }: RowsPlan): AsyncGenerator<Uint8Array> {
  const { opening, piece, closing } = await writers[format](await get({ db }, review_id))
  yield Buffer.from(opening)
  let rows: ReviewRow[] = []
  let isFirst = true
  for await (const row of rowsOf(db, review_id, state)) {
    rows.push(toRow(row))
    if (rows.length < pieceRows) continue
    yield Buffer.from(piece(rows, isFirst))
    isFirst = false
    rows = []
  }
  yield Buffer.from(`${rows.length > 0 ? piece(rows, isFirst) : ''}${closing}`)
}

const json = (row: ReviewRow) => JSON.stringify(row)

const writers: Record<ReviewFormat, (review: Review) => Promise<Writer> | Writer> = {
  json: () => ({
    opening: '[',
    piece: (rows, isFirst) => `${isFirst ? '' : ','}${rows.map(json).join(',')}`,
    closing: ']',
  }),
  ndjson: () => ({ opening: '', piece: (rows) => rows.map((row) => `${json(row)}\n`).join(''), closing: '' }),
  csv: csvWriter,
  html: pageWriter,
}

const columns = [
  'row_id',
  'username',
  'email',
  'first_name',
  'last_name',
  'active',
  'source',
  'role',
  'group',
  'permissions',
  'since',
  'granted_by',
  'last_login_at',
  'second_factor',
  'state',
  'comment',
  'decided_at',
  'decided_by',
]

const nameOf = (party: { id: string; name: string | null } | null) => party && (party.name || party.id)

async function csvWriter(): Promise<Writer> {
  const { stringify } = await import('csv-stringify/sync')
  const write = (rows: readonly object[], header: boolean) =>
    stringify([...rows], {
      header,
      columns,
      record_delimiter: 'windows', // RFC 4180 §2: CRLF
      cast: { boolean: String, string: protectCell },
    })
  const cells = ({ permissions, granted_by, decided_by, ...row }: ReviewRow) => ({
    ...row,
    permissions: joinNames(permissions),
    granted_by: nameOf(granted_by),
    decided_by: nameOf(decided_by),
  })
  return { opening: write([], true), piece: (rows) => write(rows.map(cells), false), closing: '' }
}

const stateWords: Record<RowState, string> = {
  open: 'Not decided',
  kept: 'Kept',
  removed: 'Removed',
  changed_meanwhile: 'Changed meanwhile',
}

/** For auditors: what was reviewed, when, by whom, with each decision, and the digest that proves it. Instants are in UTC. */
function pageWriter(review: Review): Writer {
  const { name, counts, filter, due_at, created_at, created_by, closed_at, closed_by, digest, row_count } = review
  const facts: [string, string][] = [
    ['Scope', Object.keys(filter).length === 0 ? 'Everybody with a permission' : JSON.stringify(filter)],
    ['Created', `${minute(created_at)} by ${nameOf(created_by)}`],
    ['Due', minute(due_at)],
    ['Closed', closed_at === null ? 'Not yet' : `${minute(closed_at)} by ${nameOf(closed_by)}`],
    ['Rows', String(row_count)],
    ...Object.entries(counts).map(([state, count]): [string, string] => [stateWords[state as RowState], String(count)]),
    ['SHA-256', digest ?? 'Not sealed yet'],
  ]
  const opening = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Access review: ${name}</title>
</head>
<body>
<h1>Access review: ${name}</h1>
<table>
${new Html(facts.map(([term, value]) => html`<tr><th scope="row" align="left">${term}</th><td>${value}</td></tr>\n`.text).join(''))}</table>
<h2>Decisions</h2>
<table border="1" cellpadding="4" cellspacing="0">
<thead><tr align="left"><th scope="col">User</th><th scope="col">Access</th><th scope="col">Since</th><th scope="col">Last sign-in</th><th scope="col">Second factor</th><th scope="col">Decision</th><th scope="col">By</th><th scope="col">Comment</th></tr></thead>
<tbody>
`
  const line = (row: ReviewRow) => {
    const access = row.source === 'role' ? `Role ${row.role}` : `Group ${row.group} (role ${row.role})`
    const since =
      row.since === null ? '' : `${minute(row.since)}${row.granted_by ? ` by ${nameOf(row.granted_by)}` : ''}`
    const by = row.decided_at === null ? '' : `${nameOf(row.decided_by)}, ${minute(row.decided_at)}`
    const who = row.username === '' ? `Erased user ${row.user_id}` : row.username
    const isExpired = row.user_expires_at !== undefined && row.user_expires_at <= created_at
    const standing = row.active ? (isExpired ? ' (expired)' : '') : ' (disabled)'
    return html`<tr><td>${who}${standing}</td><td>${access}</td><td>${since}</td><td>${row.last_login_at ? minute(row.last_login_at) : 'Never'}</td><td>${row.second_factor ? 'Yes' : 'No'}</td><td>${stateWords[row.state]}</td><td>${by}</td><td>${row.comment}</td></tr>
`.text
  }
  return {
    opening: opening.text,
    piece: (rows) => rows.map(line).join(''),
    closing: '</tbody>\n</table>\n</body>\n</html>\n',
  }
}

/** 2026-12-31 09:30 UTC */
function minute(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`
}

/** @throws AppError `bad_cursor` */
export function positionOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (!/^\d{1,6}$/.test(cursor)) {
    throw new AppError(
      'bad_cursor',
      'The cursor is not valid for this list. Take it from the Link header of the previous page.',
    )
  }
  return Number(cursor)
}
