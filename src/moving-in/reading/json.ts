import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { OperatorError } from '../../core/errors.ts'
import { glance, utf8Text } from './bytes.ts'

export type JsonObject = Record<string, unknown>

export type JsonEntry = {
  /** The name of the list that contains it; '' if that list has no name. */
  list: string
  value: JsonObject
  /** The line of the file on which it begins, from 1. */
  line: number
  /** Its number among the entries of the file, from 1. */
  entry: number
}

type JsonOptions = {
  /** Called with these members of an object that holds lists, where they appear in the file. */
  beside?: Readonly<Record<string, (value: unknown) => void>>
  /** Members by which an object is known to be an entry itself, and not one that holds lists. */
  single?: readonly string[]
  /** An array may hold objects that hold the lists: the pages of an API in one file. */
  pages?: true
  /** The message for an object without any of the lists. */
  nothing?: string
}

/**
 * The objects of one or several JSON documents, one at a time. What counts are the elements of an array, also of arrays in
 * it, those of the named lists of an object (`users`, `data.users`), the lines of NDJSON, or an object by itself.
 *
 * @param expected What the input should be, for the message when it is not.
 */
export async function* jsonEntries(
  input: AsyncIterable<Uint8Array>,
  lists: readonly string[],
  expected: string,
  { beside = {}, single = [], pages, nothing }: JsonOptions = {},
): AsyncGenerator<JsonEntry> {
  const { line, text, bytes } = await glance(input)
  if (line === '') throw new OperatorError(`The input is empty; expected ${expected}.`)
  if (!/^[[{]/.test(line)) throw new OperatorError(`The input is not JSON (${kindOf(line)}); expected ${expected}.`)
  if (isObjectOfItsOwn(line, lists, single)) {
    yield* linesOf(bytes, expected)
    return
  }
  const names = line.startsWith('{') ? firstNames(text) : []
  const isSingle = names.some((name) => single.includes(name))
  const paths = isSingle
    ? ['$']
    : line.startsWith('[')
      ? ['$.*']
      : [...lists.map((list) => `$.${list}.*`), ...Object.keys(beside).map((name) => `$.${name}`)]
  let entries: JsonEntry[] = []
  let count = 0
  const readItem = (value: unknown, list: string, firstLine: number): void => {
    const within = Array.isArray(value) ? value : pages && line.startsWith('[') ? listIn(value, lists) : undefined
    if (within !== undefined && list === '') for (const each of within) readItem(each, list, firstLine)
    else entries.push({ list, value: objectAt(++count, value, firstLine, expected), line: firstLine, entry: count })
  }
  const parser = placedParser(paths, expected, (value, key, path, firstLine) => {
    if (!isSingle && path.length === 0 && typeof key === 'string') beside[key]?.(value)
    else readItem(value, path.join('.'), firstLine)
  })
  const cut = (at: number) =>
    `The input is not valid JSON at line ${at}, or is cut off there${count === 0 ? '' : `, after entry ${count}`}`
  for await (const chunk of bytes) {
    feed(
      () => parser.write(chunk),
      () => cut(parser.line()),
      expected,
    )
    yield* entries
    entries = []
  }
  feed(parser.end, () => cut(parser.line()), expected)
  if (count === 0 && !line.startsWith('['))
    throw new OperatorError(nothing ?? `The input is an object ${nothingIn(lists)}; expected ${expected}.`)
}

/**
 * The values at these paths of one or several JSON documents, one at a time: `orgs.*.name`. `path`: the names and numbers that lead
 * to the value.
 */
export async function* jsonValues(
  input: AsyncIterable<Uint8Array>,
  paths: readonly string[],
  expected: string,
): AsyncGenerator<{ path: (string | number | undefined)[]; value: unknown }> {
  let found: { path: (string | number | undefined)[]; value: unknown }[] = []
  const parser = placedParser(
    paths.map((path) => `$.${path}`),
    expected,
    (value, key, path) => found.push({ path: [...path, key as string | number], value }),
  )
  const cut = () => `The input is not valid JSON at line ${parser.line()}, or is cut off there`
  for await (const chunk of input) {
    feed(() => parser.write(chunk), cut, expected)
    yield* found
    found = []
  }
  feed(parser.end, cut, expected)
}

/** Guesses the format of input that is not JSON. */
function kindOf(line: string): string {
  if (line.startsWith('<')) return 'it looks like HTML or XML'
  if (/^(?:--|\/\*|insert|copy|create|set|select|pragma|begin)\b/i.test(line)) return 'it looks like SQL'
  if (/^SQLite format 3/.test(line)) return 'it is a SQLite file'
  if (/^PGDMP/.test(line)) return "it is pg_dump's custom format; use --format=plain"
  return /[,;\t]/.test(line) ? 'it looks like CSV' : 'it begins differently'
}

type OnValue = (value: unknown, key: unknown, path: (string | number | undefined)[], line: number) => void

/** Far more than an entry has, or a page of them. A longer one would only fill the memory. */
const longestEntryBytes = 8 * 1024 * 1024
const deepest = 100

/** An array or object that has begun. */
type Frame = {
  /** Where it begins: the line, and the byte of the input. */
  line: number
  at: number
  /** Undefined inside of an entry. */
  path: string | undefined
  isArray: boolean
  /** The name of the member that comes next. */
  name: string
}

/**
 * A parser that knows on which line each value begins: it is given the input line by line. Entries that are too long are
 * refused before they are collected.
 */
function placedParser(paths: readonly string[], expected: string, onValue: OnValue) {
  let [line, firstLine] = [1, 1]
  let [seen, seenAtToken] = [0, 0]
  const open: Frame[] = []
  /** The frame that is collected. */
  let entry: Frame | undefined
  let text = ''
  const options = { separator: '', stringBufferSize: 64 * 1024 }
  const tokenizer = new Tokenizer(options)
  const tokens = new TokenParser({ ...options, paths: [...paths], keepStack: false })
  tokens.onValue = ({ value, key, stack }) => {
    onValue(
      value,
      key,
      stack.slice(1).map((frame) => frame.key),
      firstLine,
    )
  }
  const enter = (isArray: boolean) => {
    if (open.length === deepest) throw new OperatorError(`Line ${line} is nested too deeply; expected ${expected}.`)
    const parent = open.at(-1)
    const path =
      entry === undefined
        ? parent === undefined
          ? '$'
          : `${parent.path}.${parent.isArray ? '*' : parent.name}`
        : undefined
    const frame = { line, at: seen, path, isArray, name: '' }
    open.push(frame)
    if (path !== undefined && (paths.includes(path) || paths.includes(`${parent?.path}.*`))) entry = frame
  }
  const closeLevel = () => {
    const frame = open.pop()
    firstLine = frame?.line ?? line
    if (frame === entry) entry = undefined
  }
  tokenizer.onToken = (token) => {
    seenAtToken = seen
    if (token.token === TokenType.LEFT_BRACE || token.token === TokenType.LEFT_BRACKET)
      enter(token.token === TokenType.LEFT_BRACKET)
    else if (token.token === TokenType.RIGHT_BRACE || token.token === TokenType.RIGHT_BRACKET) closeLevel()
    else firstLine = line
    const frame = open.at(-1)
    if (token.token === TokenType.STRING) text = String(token.value)
    else if (token.token === TokenType.COLON && frame !== undefined) frame.name = text
    tokens.write(token)
  }
  const write = (bytes: Uint8Array) => {
    tokenizer.write(bytes)
    seen += bytes.length
    // A single text may be too long as well.
    const from = Math.min(entry?.at ?? seen, seenAtToken)
    if (seen - from > longestEntryBytes) throw tooLong(entry?.line ?? line, expected)
  }
  return {
    line: () => line,
    write(chunk: Uint8Array): void {
      let start = 0
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
        write(chunk.subarray(start, end + 1))
        line++
        start = end + 1
      }
      if (start < chunk.length) write(chunk.subarray(start))
    },
    end(): void {
      tokenizer.end()
      tokens.end()
      if (open.length > 0) throw new SyntaxError('The input is cut off.')
    },
  }
}

function tooLong(line: number, expected: string): OperatorError {
  const most = `${longestEntryBytes / 1024 ** 2} MiB`
  return new OperatorError(`The entry on line ${line} of the input is longer than ${most}; expected ${expected}.`)
}

function nothingIn(lists: readonly string[]): string {
  return lists.length === 0 ? 'in several lines' : `without ${lists.join(' or ')}, or with none in it`
}

/** One line that is an object, and not one that holds the lists: so NDJSON begins. */
function isObjectOfItsOwn(line: string, lists: readonly string[], single: readonly string[]): boolean {
  const object = objectIn(line)
  if (single.some((name) => name in object)) return true
  return Object.keys(object).length > 0 && listIn(object, lists) === undefined
}

/** The list that an object holds, of those that are known. */
function listIn(object: unknown, lists: readonly string[]): unknown[] | undefined {
  return firstOf(lists, (list) => listAt(object, list.split('.')))
}

/** `*` is any element of a list. */
function listAt(value: unknown, [name, ...rest]: readonly string[]): unknown[] | undefined {
  if (name === undefined) return Array.isArray(value) ? value : undefined
  if (name === '*') return firstOf(listOf(value), (one) => listAt(one, rest))
  return listAt(objectOf(value)[name], rest)
}

function firstOf<T, Found>(values: readonly T[], find: (value: T) => Found | undefined): Found | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}

/** The names of the members of an object, as far as its beginning has them. */
function firstNames(text: string): string[] {
  const names: string[] = []
  let depth = 0
  for (const [token, name] of text.matchAll(/"((?:[^"\\]|\\.)*)"(?:\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (depth === 1 && token.endsWith(':') && name !== undefined) names.push(name)
    if (depth === 0) break
  }
  return names
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>, expected: string): AsyncGenerator<JsonEntry> {
  let rest = ''
  let line = 0
  let entry = 0
  const entryOf = (text: string): JsonEntry => {
    entry++
    try {
      return { list: '', value: objectAt(entry, JSON.parse(text), line, expected), line, entry }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw new OperatorError(`Line ${line} of the input is not valid JSON, or is cut off there; expected ${expected}.`)
    }
  }
  for await (const text of utf8Text(bytes)) {
    const end = text.indexOf('\n')
    if (rest.length + (end < 0 ? text.length : end) > longestEntryBytes) throw tooLong(line + 1, expected)
    if (end < 0) {
      rest += text
      continue
    }
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) {
      line++
      if (each.trim() !== '') yield entryOf(each)
    }
  }
  line++
  if (rest.trim() !== '') yield entryOf(rest)
}

function objectAt(entry: number, value: unknown, line: number, expected: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
  throw new OperatorError(`Entry ${entry} (line ${line}) is ${kind}, not an object; expected ${expected}.`)
}

/** Where an entry stands, for a message. */
export function placeOf({ entry, line }: Pick<JsonEntry, 'entry' | 'line'>): string {
  return `Entry ${entry} (line ${line})`
}

// The parser's own messages quote the input, which may be a secret.
function feed(step: () => void, fault: () => string, expected: string): void {
  try {
    step()
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${fault()}; expected ${expected}.`)
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
