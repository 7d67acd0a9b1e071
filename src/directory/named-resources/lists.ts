/** The places in lists that are ordered by one column and the id. */
import { badCursor, readCursor, writeCursor } from '../../http/request/cursor.ts'
import { isUuid } from '../../lib/uuidv7.ts'

/** The last row of a page. */
export type Place = { value: string | number; id: string }

export function placeOf(sort: string, { value, id }: Place): string {
  return writeCursor([sort, value, id])
}

/** @param numeric the orders whose values are numbers @throws AppError `bad_cursor` */
export function readPlace(cursor: string, sort: string, numeric: readonly string[] = []): Place {
  const [name, value, id, ...rest] = readCursor(cursor)
  const isValue = numeric.includes(sort.replace('-', ''))
    ? Number.isSafeInteger(value)
    : typeof value === 'string' && !value.includes('\0')
  if (name !== sort || !isValue || typeof id !== 'string' || !isUuid(id) || rest.length > 0) throw badCursor()
  return { value: value as string | number, id }
}
