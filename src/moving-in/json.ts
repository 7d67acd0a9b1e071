import { JSONParser } from '@streamparser/json'
import { OperatorError } from '../errors.ts'
import { glance, utf8Text } from './bytes.ts'

export type JsonObject = Record<string, unknown>

export type JsonEntry = {
  /** The name of the list it stands in; '' for an entry of no named list. */
  list: string
  value: JsonObject
}

/**
 * The objects of one or several JSON documents, one at a time. What counts are the elements of an array, those of the
 * named lists of an object (`users`, `data.users`), or the lines of NDJSON.
 *
 * @param expected What the input should be, for the message when it is not.
 * @param beside Is told of these members of an object that holds lists, where they stand in the file.
 */
export async function* jsonEntries(
  input: AsyncIterable<Uint8Array>,
  lists: readonly string[],
  expected: string,
  beside: Readonly<Record<string, (value: unknown) => void>> = {},
): AsyncGenerator<JsonEntry> {
  const { line, bytes } = await glance(input)
  if (line === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  if (!/^[[{]/.test(line)) throw new OperatorError(`The input is not JSON; expected ${expected}.`)
  if (isObjectOfItsOwn(line, lists)) {
    yield* linesOf(bytes, expected)
    return
  }
  const paths = line.startsWith('[')
    ? ['$.*']
    : [...lists.map((list) => `$.${list}.*`), ...Object.keys(beside).map((name) => `$.${name}`)]
  let entries: JsonEntry[] = []
  let count = 0
  const parser = new JSONParser({ paths, keepStack: false, separator: '', stringBufferSize: 64 * 1024 })
  parser.onValue = ({ value, key, stack }) => {
    const list = stack.slice(1).map((frame) => frame.key)
    if (list.length === 0 && typeof key === 'string') {
      beside[key]?.(value)
      return
    }
    entries.push({ list: list.join('.'), value: objectAt(++count, value, expected) })
  }
  for await (const chunk of bytes) {
    feed(() => parser.write(chunk), expected)
    yield* entries
    entries = []
  }
  feed(() => parser.end(), expected)
  if (count === 0 && !line.startsWith('['))
    throw new OperatorError(`The input is an object ${nothingIn(lists)}; expected ${expected}.`)
}

function nothingIn(lists: readonly string[]): string {
  return lists.length === 0 ? 'in several lines' : `without ${lists.join(' or ')}, or with none in it`
}

/** One line that is an object, and not one that holds the lists: so NDJSON begins. */
function isObjectOfItsOwn(line: string, lists: readonly string[]): boolean {
  const object = objectIn(line)
  return Object.keys(object).length > 0 && !lists.some((list) => Array.isArray(at(object, list)))
}

function at(object: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((within, name) => objectOf(within)[name], object)
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>, expected: string): AsyncGenerator<JsonEntry> {
  let rest = ''
  let count = 0
  const entryOf = (line: string): JsonEntry => {
    count++
    try {
      return { list: '', value: objectAt(count, JSON.parse(line), expected) }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new OperatorError(`Line ${count} of the input is not valid JSON, or cut; expected ${expected}.`)
    }
  }
  for await (const text of utf8Text(bytes)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST_LINE) throw new OperatorError(`A line of the input has no end; expected ${expected}.`)
    for (const line of lines) if (line.trim() !== '') yield entryOf(line)
  }
  if (rest.trim() !== '') yield entryOf(rest)
}

// Far more than an entry has: what else comes in one line is no NDJSON.
const LONGEST_LINE = 32 * 1024 * 1024

function objectAt(position: number, value: unknown, expected: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OperatorError(`Entry ${position} of the input is no object; expected ${expected}.`)
  return value as JsonObject
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
