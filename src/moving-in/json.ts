import { JSONParser } from '@streamparser/json'
import { OperatorError } from '../errors.ts'
import { glance } from './bytes.ts'

export type JsonObject = Record<string, unknown>

export type JsonEntry = {
  /** The name of the list it stands in; '' for an entry of no named list. */
  list: string
  value: JsonObject
}

/**
 * The objects of one or several JSON documents, one at a time. What counts are the elements of an array, those of the
 * named lists of an object (`users`, `data.users`), or else the object itself, as in NDJSON.
 *
 * @param expected What the input should be, for the message when it is not.
 */
export async function* jsonEntries(
  input: AsyncIterable<Uint8Array>,
  lists: readonly string[],
  expected: string,
): AsyncGenerator<JsonEntry> {
  const { line, bytes } = await glance(input)
  const first = line.charAt(0)
  if (first === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  if (first !== '[' && first !== '{') throw new OperatorError(`The input is not JSON; expected ${expected}.`)

  let entries: JsonEntry[] = []
  let count = 0
  const parser = new JSONParser({
    paths: first === '[' ? ['$.*'] : ['$', ...lists.map((list) => `$.${list}.*`)],
    keepStack: false,
    separator: '',
    stringBufferSize: 64 * 1024,
  })
  parser.onValue = ({ value, key, stack }) => {
    const names = [...stack.slice(1).map((frame) => frame.key), key]
    const list = first === '{' && stack.length > 0 ? names.slice(0, -1).join('.') : ''
    if (first === '{' && stack.length === 0 && holdsList(value, lists)) return
    count++
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new OperatorError(`Entry ${count} of the input is no object; expected ${expected}.`)
    entries.push({ list, value: value as JsonObject })
  }
  for await (const chunk of bytes) {
    feed(() => parser.write(chunk), expected)
    yield* entries
    entries = []
  }
  feed(() => parser.end(), expected)
  yield* entries
}

function holdsList(value: unknown, lists: readonly string[]): boolean {
  return lists.some((list) => {
    const found = list.split('.').reduce<unknown>((within, name) => (within as JsonObject | undefined)?.[name], value)
    return Array.isArray(found)
  })
}

// The parser's own messages quote the input, which may be a secret.
function feed(step: () => void, expected: string): void {
  try {
    step()
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The input is not valid JSON, or it is cut; expected ${expected}.`)
  }
}

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text that says something; numbers count as their digits. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export function textsOf(value: unknown): string[] {
  return listOf(value).flatMap((entry) => textOf(entry) ?? [])
}

/** The object that a text holds as JSON; some exports put JSON into strings. */
export function objectIn(value: unknown): JsonObject {
  if (typeof value !== 'string') return objectOf(value)
  try {
    return objectOf(JSON.parse(value))
  } catch {
    return {}
  }
}
