/** Splits a filter or a PATCH path into tokens (RFC 7644 §3.4.2.2). */
import { ScimError } from '../protocol/errors.ts'

/** The longest filter. A client that looks for 200 users by id in one filter needs half of it. */
const MAX_LENGTH = 16_384

export interface Token {
  /** A word is everything between spaces, brackets and strings: a path, an operator, a number, true. */
  readonly kind: '(' | ')' | '[' | ']' | 'word' | 'string' | 'end'
  /** The word, or what the string means. */
  readonly text: string
  readonly start: number
  readonly end: number
}

const word = /[^\s()[\]"]+/y
const space = /\s+/y

/** @throws ScimError `invalidFilter` */
export function tokenize(input: string): Token[] {
  if (input.length > MAX_LENGTH) {
    throw new ScimError('invalidFilter', `The filter is longer than ${MAX_LENGTH} characters. Send several requests.`)
  }
  const tokens: Token[] = []
  let at = 0
  while (at < input.length) {
    const end = endOf(space, input, at)
    if (end !== undefined) {
      at = end
      continue
    }
    const token = tokenAt(input, at)
    tokens.push(token)
    at = token.end
  }
  tokens.push({ kind: 'end', text: '', start: at, end: at })
  return tokens
}

function tokenAt(input: string, start: number): Token {
  const first = input[start]
  if (first === '(' || first === ')' || first === '[' || first === ']') {
    return { kind: first, text: first, start, end: start + 1 }
  }
  if (first === '"') return stringAt(input, start)
  const end = endOf(word, input, start) ?? start + 1
  return { kind: 'word', text: input.slice(start, end), start, end }
}

/** Reads a JSON string (RFC 8259 §7). */
function stringAt(input: string, start: number): Token {
  let close = start + 1
  while (close < input.length && input[close] !== '"') close += input[close] === '\\' ? 2 : 1
  if (close >= input.length) throw invalid(start, 'The string does not end. Close it with a quotation mark.')
  const end = close + 1
  const text = decoded(input.slice(start, end))
  if (text === undefined) {
    throw invalid(start, 'The string is not valid JSON. Write quotation marks and backslashes with a backslash before.')
  }
  if (!text.isWellFormed()) throw invalid(start, 'The string has half a character (a lone surrogate).')
  return { kind: 'string', text, start, end }
}

function decoded(literal: string): string | undefined {
  try {
    return JSON.parse(literal)
  } catch {
    return undefined
  }
}

function endOf(pattern: RegExp, input: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(input) ? pattern.lastIndex : undefined
}

/** Returns a refusal that says where the filter is wrong; `at` counts from 0. */
export function invalid(at: number, what: string): ScimError {
  return new ScimError('invalidFilter', `The filter is not valid at character ${at + 1}. ${what}`)
}
