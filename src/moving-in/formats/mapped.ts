/** Any CSV or JSON file, with a mapping from its columns or paths to members. */
import { OperatorError } from '../../core/errors.ts'
import type { JsonObject } from '../reading/json.ts'
import { topOf, valuesAt } from '../reading/path.ts'
import { recordsIn } from '../reading/records.ts'
import type { SourceOptions } from '../reading/source.ts'
import { expectedMapping, type Mapping, personOf, readMapping } from './mapping.ts'
import { type Found, shortened } from './person.ts'

/** Names that lists of users have in JSON, for a mapping without `rows`. */
export const usualLists = ['users', 'data', 'items', 'results', 'records', 'value', 'Resources', 'data.users']

export const readMappedCsv = reader('csv', 'a CSV file whose header line has the columns of the mapping')
export const readMappedJson = reader('json', 'a JSON or NDJSON file whose entries have the paths of the mapping')

function reader(form: 'csv' | 'json', expected: string) {
  return async function* readMapped(
    input: AsyncIterable<Uint8Array>,
    { mapping: text }: SourceOptions,
  ): AsyncGenerator<Found> {
    if (text === undefined)
      throw new OperatorError(`A ${form.toUpperCase()} file needs a mapping: expected ${expectedMapping}.`)
    const mapping = readMapping(text)
    const unused = unusedIn(mapping, form)
    const missing = new Set(form === 'json' ? mapping.paths : [])
    const lists = mapping.rows === undefined ? usualLists : [mapping.rows]
    const { delimiter, needed: needs } = mapping
    for await (const one of recordsIn(input, expected, { form, lists, delimiter, needs })) {
      if ('leftOut' in one) {
        yield one
        continue
      }
      const { record, id, line } = one
      if (one.isFirst && ![...mapping.paths].some((path) => valuesAt(record, path).length > 0))
        throw new OperatorError(`${one.place} has none of the paths of the mapping; expected ${expected}.`)
      for (const path of missing) if (valuesAt(record, path).length > 0) missing.delete(path)
      for (const what of unused(record)) yield { leftOut: { what, why: 'it is not in the mapping' } }
      yield { person: personOf(record, id, mapping), line }
    }
    for (const path of missing)
      yield { leftOut: { what: `path ${shortened(path)} of the mapping`, why: 'no entry of the file has it' } }
  }
}

/** Returns a function that names the members of a record that the mapping does not use, each once. */
function unusedIn({ paths }: Mapping, form: 'csv' | 'json'): (record: JsonObject) => string[] {
  const known = new Set([...paths].flatMap((path) => [path, topOf(path)]))
  const word = form === 'csv' ? 'column' : 'member'
  return (record) => {
    const found = Object.keys(record).filter((name) => !known.has(name))
    for (const name of found) known.add(name)
    return found.map((name) => `${word} ${shortened(name)}`)
  }
}
