import { isUtf8 } from 'node:buffer'
import { jsonFaultPosition } from './json-fault.ts'

/** Says what is wrong and where; never holds a value of the body. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
}

export const emptyBody = 'The body is empty. Send a JSON object.'

const MAX_DEPTH = 16

/**
 * JSON as RFC 8259 and I-JSON (RFC 7493) want it: UTF-8 without BOM, no member twice in one object, no half characters.
 * JSON.parse alone keeps the last of two members, while a proxy may have checked the first.
 * Members named `__proto__` and nesting deeper than 16 are refused too.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new JsonSyntaxError(emptyBody)
  if (!isUtf8(bytes)) throw new JsonSyntaxError('The body is not valid UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  if (text.startsWith('\uFEFF')) throw new JsonSyntaxError('The body begins with a byte order mark. Send it without.')
  const value = parse(text)
  checkStructure(text)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The engine's own message quotes the body, which may hold a password.
    const position = jsonFaultPosition(text)
    if (position === text.length) throw new JsonSyntaxError('The body is not valid JSON: it ends too early.')
    throw new JsonSyntaxError(`The body is not valid JSON: unexpected character at position ${position}.`)
  }
}

const QUOTE = 0x22
const COLON = 0x3a
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** Expects valid JSON: a string before a colon is a name, and brackets match. */
function checkStructure(text: string): void {
  const escaping = text.includes('\\')
  const namesByLevel: Set<string>[] = []
  let lastString = ''
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      start = at
      at = closingQuote(text, start)
      lastString = text.slice(start + 1, at)
      if (escaping && lastString.includes('\\')) lastString = unescaped(text, start, at)
    } else if (unit === COLON) {
      if (lastString === '__proto__') throw new JsonSyntaxError('A member must not be named __proto__.')
      const names = namesByLevel.at(-1)
      if (names?.has(lastString)) throw new JsonSyntaxError(`${memberAt(lastString, start)} appears twice.`)
      names?.add(lastString)
    } else if (unit === OPENING_BRACE || unit === OPENING_BRACKET) {
      if (namesByLevel.push(new Set()) > MAX_DEPTH)
        throw new JsonSyntaxError(`The body is nested deeper than ${MAX_DEPTH} levels.`)
    } else if (unit === CLOSING_BRACE || unit === CLOSING_BRACKET) {
      namesByLevel.pop()
    }
  }
}

function closingQuote(text: string, openingQuote: number): number {
  let end = text.indexOf('"', openingQuote + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}

function unescaped(text: string, openingQuote: number, closingQuote: number): string {
  const string: string = JSON.parse(text.slice(openingQuote, closingQuote + 1))
  // The bytes were valid UTF-8, so only an escape can have brought half a character.
  if (!string.isWellFormed())
    throw new JsonSyntaxError(`The string at position ${openingQuote} contains half a character (a lone surrogate).`)
  return string
}

// A name we could have given ourselves is safe to repeat; another may be a value in the wrong place.
function memberAt(name: string, position: number): string {
  return /^[A-Za-z_]{1,40}$/.test(name) ? `The member "${name}"` : `The member at position ${position}`
}
