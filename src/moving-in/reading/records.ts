/** The records of a JSON or CSV file, one at a time. */
import { OperatorError } from '../../core/errors.ts'
import { glance } from './bytes.ts'
import { csvRows } from './csv.ts'
import { type JsonObject, jsonEntries, placeOf } from './json.ts'
import type { LeftOut } from './source.ts'

type RecordFound =
  | { record: JsonObject; line: number; id: string; place: string; isFirst: boolean }
  | { leftOut: LeftOut }

type RecordOptions = {
  /** Only this; otherwise the first character decides. */
  form?: 'json' | 'csv'
  /** Paths of the list in JSON. */
  lists?: readonly string[]
  /** Members by which an object is known to be a record. */
  single?: readonly string[]
  /** Called with these members beside the list. */
  beside?: Readonly<Record<string, (value: unknown) => void>>
  delimiter?: string | undefined
  /** Columns of CSV. */
  needs?: readonly string[]
}

export async function* recordsIn(
  input: AsyncIterable<Uint8Array>,
  expected: string,
  { form, lists = [], single = [], beside = {}, delimiter, needs = [] }: RecordOptions,
): AsyncGenerator<RecordFound> {
  const { line: first, bytes } = await glance(input)
  if (first === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  let isFirst = true
  if (form === 'json' || (form === undefined && /^[[{]/.test(first))) {
    for await (const { value, line, entry } of jsonEntries(bytes, lists, expected, { pages: true, single, beside })) {
      yield { record: value, line, id: `entry ${entry}`, place: placeOf({ entry, line }), isFirst }
      isFirst = false
    }
    return
  }
  for await (const one of csvRows(bytes, expected, { delimiter, needs })) {
    if ('leftOut' in one) {
      yield one
      continue
    }
    yield { record: one.row, line: one.line, id: `line ${one.line}`, place: `Line ${one.line}`, isFirst }
    isFirst = false
  }
}
