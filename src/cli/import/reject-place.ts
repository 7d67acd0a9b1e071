/** Finds a rejected row in the file, and its wrong value if that is not secret. */
import { userSchema } from '../../directory/users/schema.ts'
import { unprotectCell } from '../../lib/csv-formula.ts'
import { cellsOfRecord } from '../../lib/csv-records.ts'
import { splitNames } from '../../lib/name-list.ts'
import { shownName } from '../../lib/shown-name.ts'
import type { ImportReject } from '../../sdk/client/index.ts'
import type { Input } from './input.ts'
import type { Row } from './rows.ts'

/** Members whose values may be shown. Never a password, and never the value of an unknown member. */
const shownMembers: ReadonlySet<string> = new Set([...userSchema.required, 'must_change_password', 'groups'])

export type Placed = { place: string; value: string }

/** Returns a function that describes where a row is, and its wrong value. */
export function placer({ format, header }: Pick<Input, 'format' | 'header'>) {
  const cells = (row: Row): string[] => cellsOfRecord(row.toString()) ?? []
  const names = header === undefined ? [] : cells(header).map((name) => name.trim())
  const valueIn = (row: Row, member: string): unknown => {
    try {
      if (format === 'csv') {
        const cell = cells(row)[names.indexOf(member)]
        return member === 'groups' ? splitNames(unprotectCell(cell ?? '')) : cell
      }
      return (JSON.parse(row.toString()) as Record<string, unknown>)[member]
    } catch {
      // The row cannot be parsed, which is also the reason for the rejection.
      return undefined
    }
  }
  return (reject: Pick<ImportReject, 'row' | 'pointer'>, row: Row): Placed => {
    const place = row.line === undefined ? `row ${reject.row}` : `line ${row.line}`
    const [, member = '', item] = /^#\/(\w+)(?:\/(\d+))?$/.exec(reject.pointer ?? '') ?? []
    const all = shownMembers.has(member) ? valueIn(row, member) : undefined
    const value = Array.isArray(all) && item !== undefined ? (all as unknown[])[Number(item)] : all
    if (value === undefined) return { place, value: '' }
    const text = typeof value === 'string' ? shownName(value) : (JSON.stringify(value) ?? '').slice(0, 40)
    return { place, value: ` (${member}: ${text})` }
  }
}
