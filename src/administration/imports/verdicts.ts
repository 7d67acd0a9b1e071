/**
 * The stored form of verdicts: a letter and the id, or the fault, so that a million of them take some 40 MB. A line number
 * is stored only where it does not follow the previous row's.
 */
import type { Verdict } from '../../directory/users/service.ts'
import type { ImportedRow } from './schema.ts'
import type { VerdictsRow } from './store.ts'

const letters = { created: 'c', updated: 'u', unchanged: 'n', skipped: 's' } as const
const words = Object.fromEntries(Object.entries(letters).map(([word, letter]) => [letter, word]))

type Line = number | null
type Kept = Packed[] | { lines: [n: number, line: Line][]; verdicts: Packed[] }
type Packed = string | [code: string, pointer: string | null, detail: string]

/** For consecutive rows, at least one. */
export function packed(verdicts: readonly Verdict[]): Omit<VerdictsRow, 'job_id'> {
  const list = verdicts.map((one): Packed => {
    if (one.verdict === 'rejected') return [one.code, one.pointer, one.detail]
    return letters[one.verdict] + (one.user_id ?? '').replaceAll('-', '')
  })
  const rejected = verdicts.filter(({ verdict }) => verdict === 'rejected').length
  const lines = linesOf(verdicts)
  const stored: Kept = lines.length === 0 ? list : { lines, verdicts: list }
  return { first_row: verdicts[0]?.row ?? 1, rejected, verdicts: JSON.stringify(stored) }
}

function linesOf(verdicts: readonly Verdict[]): [n: number, line: Line][] {
  const lines: [n: number, line: Line][] = []
  let expected: Line = null
  for (const [n, { line = null }] of verdicts.entries()) {
    if (line !== expected) lines.push([n, line])
    expected = following(line)
  }
  return lines
}

function following(line: Line): Line {
  return line === null ? null : line + 1
}

export function unpacked({ first_row, verdicts }: Pick<VerdictsRow, 'first_row' | 'verdicts'>): ImportedRow[] {
  const stored = JSON.parse(verdicts) as Kept
  const { lines, verdicts: list } = Array.isArray(stored) ? { lines: [], verdicts: stored } : stored
  const lineOf = new Map(lines)
  let next: Line = null
  return list.map((one, i): ImportedRow => {
    const row = Number(first_row) + i
    const line = lineOf.has(i) ? (lineOf.get(i) as Line) : next
    next = following(line)
    if (typeof one !== 'string') {
      const [code, pointer, detail] = one
      return { row, line, verdict: 'rejected', user_id: null, code, pointer, detail }
    }
    return { row, line, verdict: words[one.slice(0, 1)] as 'created', user_id: withHyphens(one.slice(1)) }
  })
}

function withHyphens(hex: string): string | null {
  if (hex === '') return null
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
