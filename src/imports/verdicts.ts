/** Verdicts as they are kept: a letter and the id, or what is wrong, so that a million of them take some 40 MB. */
import type { Verdict } from '../users/bulk.ts'
import type { ImportedRow } from './schema.ts'
import type { VerdictsRow } from './store.ts'

const letters = { created: 'c', updated: 'u', unchanged: 'n', skipped: 's' } as const
const words = Object.fromEntries(Object.entries(letters).map(([word, letter]) => [letter, word]))

type Packed = string | [code: string, pointer: string | null, detail: string]

/** Of rows that follow each other, one at least. */
export function packed(verdicts: readonly Verdict[]): Omit<VerdictsRow, 'job_id'> {
  const list = verdicts.map((one): Packed => {
    if (one.verdict === 'rejected') return [one.code, one.pointer, one.detail]
    return letters[one.verdict] + (one.user_id ?? '').replaceAll('-', '')
  })
  const rejected = verdicts.filter(({ verdict }) => verdict === 'rejected').length
  return { first_row: verdicts[0]?.row ?? 1, rejected, verdicts: JSON.stringify(list) }
}

export function unpacked({ first_row, verdicts }: Pick<VerdictsRow, 'first_row' | 'verdicts'>): ImportedRow[] {
  return (JSON.parse(verdicts) as Packed[]).map((one, i): ImportedRow => {
    const row = Number(first_row) + i
    if (typeof one !== 'string') {
      const [code, pointer, detail] = one
      return { row, verdict: 'rejected', user_id: null, code, pointer, detail }
    }
    return { row, verdict: words[one.slice(0, 1)] as 'created', user_id: withHyphens(one.slice(1)) }
  })
}

function withHyphens(hex: string): string | null {
  if (hex === '') return null
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
