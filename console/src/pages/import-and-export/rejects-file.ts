/** The rejected rows as a file, with the reasons. It can be corrected and imported again. */
import { downloadLine } from '../../../../src/lib/csv-formula.ts'
import type { Reject } from './feed.ts'
import { reasonColumns } from './reason-columns.ts'
import type { SourceRow } from './source.ts'

type Rejected = { reject: Reject } & Pick<SourceRow, 'original' | 'line'>

export type RejectsFile = {
  add(rejected: readonly Rejected[]): void
  readonly count: number
  /** The first rejected rows, to be shown. */
  readonly first: ReadonlyMap<number, Pick<SourceRow, 'original' | 'line'>>
  toBlob(): Blob
  name(of: string): string
}

/** How many are shown with their text; all are in the file of rejected rows. */
const mostShown = 1000

/** Kept as blobs, which browsers may move to disk: every row of a large file may be rejected. */
export function rejectsFile(columns: readonly string[] | undefined, separator: string): RejectsFile {
  const pieces: Blob[] = []
  const first = new Map<number, Pick<SourceRow, 'original' | 'line'>>()
  let count = 0
  /** A row that is rejected again gets new reasons. */
  const own = (cells: readonly string[]) =>
    cells.filter((_, column) => !(reasonColumns as readonly string[]).includes(columns?.[column] ?? ''))
  const written = ({ reject: { row, code, detail }, original, line }: Rejected) =>
    typeof original === 'string'
      ? `${JSON.stringify({ row, line, code, detail, input: parsed(original) })}\n`
      : `${downloadLine([...own(original), String(row), String(line), code, detail], separator)}\r\n`
  return {
    add(rejected) {
      if (rejected.length === 0) return
      pieces.push(new Blob([rejected.map(written).join('')]))
      count += rejected.length
      for (const { reject, original, line } of rejected)
        if (first.size < mostShown) first.set(reject.row, { original, line })
    },
    get count() {
      return count
    },
    first,
    toBlob() {
      if (columns === undefined) return new Blob(pieces, { type: 'application/x-ndjson' })
      // A byte order mark, without which spreadsheets do not recognize UTF-8.
      const header = `\uFEFF${downloadLine([...own(columns), ...reasonColumns], separator)}\r\n`
      return new Blob([header, ...pieces], { type: 'text/csv;charset=utf-8' })
    },
    name(of) {
      const base = of.replace(/(\.(ndjson|jsonl|json|csv|txt|tsv|xlsx|xlsm|gz))+$/i, '').replace(/\.rejects$/, '')
      return `${base}.rejects.${columns === undefined ? 'ndjson' : 'csv'}`
    },
  }
}

/** Values that are not JSON stay text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
