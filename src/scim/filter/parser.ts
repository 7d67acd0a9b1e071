/** Parses filters (RFC 7644 §3.4.2.2): `not` binds before `and`, `and` before `or`; keywords ignore case. */
import { type AttributePath, readAttributePath } from '../schemas/attribute-path.ts'
import type { Filter, Literal, Operator, Test } from './ast.ts'
import { invalid, type Token, tokenize } from './lexer.ts'

/** How deep parentheses and brackets may nest. */
const MAX_DEPTH = 32

const operators: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

interface ParseOptions {
  /** Whether `userName eq ada` is understood, as if the value had quotation marks. */
  readonly barewords?: boolean
}

/** @throws ScimError `invalidFilter`, which says where and what to do */
export function parseFilter(input: string, options: ParseOptions = {}): Filter {
  const reader = readerOf(tokenize(input), options)
  const filter = readOr(reader)
  if (reader.next().kind !== 'end') throw invalid(reader.last().start, 'Put and, or, or nothing after a condition.')
  return filter
}

export interface Reader {
  readonly peek: () => Token
  readonly next: () => Token
  /** The token that `next` returned last. */
  readonly last: () => Token
  /** How many parentheses and brackets are open. */
  depth: number
  readonly barewords: boolean
}

export function readerOf(tokens: readonly Token[], { barewords = false }: ParseOptions = {}): Reader {
  let place = 0
  const at = (index: number) => tokens[Math.min(Math.max(index, 0), tokens.length - 1)] as Token
  return { peek: () => at(place), next: () => at(place++), last: () => at(place - 1), depth: 0, barewords }
}

function readOr(reader: Reader): Filter {
  return readChain(reader, 'or', () => readChain(reader, 'and', () => readOne(reader)))
}

function readChain(reader: Reader, kind: 'and' | 'or', readPart: () => Filter): Filter {
  const first = readPart()
  const filters = [first]
  while (isWord(reader.peek(), kind)) {
    reader.next()
    filters.push(readPart())
  }
  return filters.length === 1 ? first : { kind, filters }
}

function readOne(reader: Reader): Filter {
  const token = reader.next()
  if (token.kind === '(') return readGroup(reader)
  if (isWord(token, 'not') && !isTestWord(reader.peek())) {
    if (reader.next().kind !== '(') throw invalid(reader.last().start, 'Put a parenthesis after not.')
    return { kind: 'not', filter: readGroup(reader) }
  }
  const path = pathOf(token)
  if (reader.peek().kind !== '[') return readTest(reader, path)
  const filter = readBrackets(reader)
  const sub = readSubAttribute(reader)
  return { kind: 'element', path, filter, ...(sub && { test: readTest(reader, { name: sub }) }) }
}

/** Reads the filter in parentheses, after the opening one. */
function readGroup(reader: Reader): Filter {
  const opening = reader.last()
  const filter = deeper(reader, readOr)
  if (reader.next().kind !== ')')
    throw invalid(reader.last().start, `Close the parenthesis of character ${opening.start + 1}.`)
  return filter
}

/** Reads `[…]`, starting at the opening bracket. */
export function readBrackets(reader: Reader): Filter {
  const opening = reader.next()
  const filter = deeper(reader, readOr)
  if (reader.next().kind !== ']')
    throw invalid(reader.last().start, `Close the bracket of character ${opening.start + 1}.`)
  return filter
}

/** Reads the `.value` that stands directly after a closing bracket, if there is one. */
export function readSubAttribute(reader: Reader): string | undefined {
  const { kind, text, start } = reader.peek()
  if (kind !== 'word' || start !== reader.last().end) return undefined
  const path = text.startsWith('.') ? readAttributePath(text.slice(1)) : undefined
  if (path === undefined || path.urn !== undefined || path.sub !== undefined) {
    throw invalid(start, 'After a bracket only the name of a sub-attribute can stand, such as .value.')
  }
  reader.next()
  return path.name
}

function deeper(reader: Reader, read: (reader: Reader) => Filter): Filter {
  if (++reader.depth > MAX_DEPTH) throw invalid(reader.last().start, `Nest parentheses at most ${MAX_DEPTH} deep.`)
  const filter = read(reader)
  reader.depth--
  return filter
}

function readTest(reader: Reader, path: AttributePath): Test {
  const token = reader.next()
  const word = token.kind === 'word' ? token.text.toLowerCase() : ''
  if (word === 'pr') return { kind: 'present', path }
  if (!isOperator(word)) {
    throw invalid(token.start, 'Put an operator after the attribute: eq, ne, co, sw, ew, gt, ge, lt, le or pr.')
  }
  return { kind: 'compare', path, operator: word, value: literalOf(reader.next(), reader.barewords) }
}

/** Distinguishes `not (…)` from an attribute of the name `not`. */
function isTestWord({ kind, text }: Token): boolean {
  return kind === '[' || (kind === 'word' && (isOperator(text.toLowerCase()) || text.toLowerCase() === 'pr'))
}

function isOperator(word: string): word is Operator {
  return operators.has(word)
}

function literalOf({ kind, text, start }: Token, barewords: boolean): Literal {
  if (kind === 'string') return text
  if (kind === 'word') {
    if (text === 'true') return true
    if (text === 'false') return false
    if (text === 'null') return null
    // Without a negative zero, which is printed as 0.
    const value = number.test(text) ? Number(text) + 0 : Number.NaN
    if (Number.isFinite(value)) return value
    if (barewords) return text
  }
  throw invalid(start, 'Put a value after the operator: a string in quotation marks, a number, true, false or null.')
}

function pathOf({ kind, text, start }: Token): AttributePath {
  const path = kind === 'word' ? readAttributePath(text) : undefined
  if (path === undefined) throw invalid(start, 'Put the name of an attribute here, such as userName or emails.value.')
  return path
}

function isWord({ kind, text }: Token, word: string): boolean {
  return kind === 'word' && text.toLowerCase() === word
}
