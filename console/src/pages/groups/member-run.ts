/** A change of members, in requests of a thousand: a dry run first, then the change. */
import type { ChangedGroupMembers } from 'rollbook/client'
import { downloadLine } from '../../../../src/lib/csv-formula.ts'
import type { Person } from '../../parts/user-finder/pasted-names.ts'

export type Kind = 'add' | 'remove'
type Result = ChangedGroupMembers['results'][number]

/** The result for a user, or the result of a dry run. `unknown`: a pasted name that no user has. */
export type MemberRow = {
  name: string
  user_id: string | undefined
  result: Result['result'] | 'unknown'
  code?: string | undefined
  detail?: string | undefined
}

/** The most users per request. */
export const changedAtOnce = 1000

/** Yields the rows of each response. */
export async function* changeMembers(
  people: readonly Person[],
  send: (ids: string[], part: number) => Promise<Pick<ChangedGroupMembers, 'results'>>,
): AsyncGenerator<MemberRow[], void, undefined> {
  const names = new Map(people.map(({ user_id, username }) => [user_id, username]))
  for (let from = 0; from < people.length; from += changedAtOnce) {
    const ids = people.slice(from, from + changedAtOnce).map(({ user_id }) => user_id)
    const { results } = await send(ids, from / changedAtOnce)
    yield results.map((row) => ({ ...row, name: names.get(row.user_id) ?? row.user_id }))
  }
}

export type Counts = { changed: number; unchanged: number; refused: number }

export function countRows(rows: readonly MemberRow[]): Counts {
  const counts = { changed: 0, unchanged: 0, refused: 0 }
  for (const { result } of rows) counts[columnOf(result)] += 1
  return counts
}

function columnOf(result: MemberRow['result']): keyof Counts {
  if (result === 'unchanged') return 'unchanged'
  return result === 'added' || result === 'removed' || result === 'changed' ? 'changed' : 'refused'
}

const order = { refused: 0, changed: 1, unchanged: 2 }

/** Rows that need attention come first. */
export function inOrder(rows: readonly MemberRow[]): MemberRow[] {
  return rows.toSorted((a, b) => order[columnOf(a.result)] - order[columnOf(b.result)])
}

export function toCsv(rows: readonly MemberRow[]): Blob {
  const lines = [
    downloadLine(['name', 'user_id', 'result', 'code', 'detail']),
    ...rows.map(({ name, user_id = '', result, code = '', detail = '' }) =>
      downloadLine([name, user_id, result, code, detail]),
    ),
  ]
  return new Blob(['\uFEFF', ...lines.map((line) => `${line}\r\n`)], { type: 'text/csv;charset=utf-8' })
}
