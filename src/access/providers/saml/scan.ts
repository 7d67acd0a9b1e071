/**
 * The gate before any XML parser: one pass over the text that bounds size, depth and number of elements, and refuses what
 * parsers disagree about (Core §5.4.3, "The Fragile Lock" 2025). A document that passes is well-formed and has one meaning.
 */
import { quoted, SamlRefusal } from './refusal.ts'

export const largestMessageBytes = 262_144
const deepest = 64
const mostElements = 5000

const space = '[ \\t\\r\\n]'
const name = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?'
const declaration = new RegExp(
  `^<\\?xml${space}+version=(?:"1\\.0"|'1\\.0')(?:${space}+encoding=(?:"utf-8"|'utf-8'))?(?:${space}+standalone=(?:"(?:yes|no)"|'(?:yes|no)'))?${space}*\\?>`,
  'i',
)
const opening = new RegExp(`<(${name})`, 'y')
const attribute = new RegExp(`${space}+(${name})${space}*=${space}*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const closing = new RegExp(`</(${name})${space}*>`, 'y')
const ending = new RegExp(`${space}*(/?)>`, 'y')
const reservedNamespaces = ['http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/']

type Open = { name: string; prefixes: ReadonlySet<string> }
const xmlOnly: ReadonlySet<string> = new Set(['xml'])

/** Returns the text of a message. @throws SamlRefusal unless the bytes are well-formed UTF-8 of a permitted size */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length > largestMessageBytes)
    throw new SamlRefusal('message_too_large', 'The message is larger than 256 KiB.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new SamlRefusal('message_malformed', 'The message is not valid UTF-8.', error)
  }
}

/** @throws SamlRefusal */
export function scan(text: string): void {
  refuseCharacters(text)
  const open: Open[] = []
  const ids = new Set<string>()
  let elements = 0
  let isAfterText = false
  let isAfterComment = false
  let isAfterRoot = false
  let at = declaration.exec(text)?.[0].length ?? 0
  while (at < text.length) {
    const next = text.indexOf('<', at)
    const content = text.slice(at, next === -1 ? text.length : next)
    const isText = /[^ \t\r\n]/.test(content)
    if (isText && open.length === 0) throw malformed('There is text outside the root element.')
    if (isText && isAfterComment)
      throw forbidden('A comment stands next to text, where readers disagree about the value.')
    if (next === -1) break
    isAfterText = isText || (isAfterText && isAfterComment)
    if (text.startsWith('<!--', next)) {
      if (isAfterText) throw forbidden('A comment stands next to text, where readers disagree about the value.')
      at = endOfComment(text, next)
      isAfterComment = true
      continue
    }
    isAfterComment = false
    isAfterText = false
    if (text.startsWith('<!', next)) throw forbidden('The message has a DOCTYPE, an entity or a CDATA section.')
    if (text.startsWith('<?', next)) throw forbidden('The message has a processing instruction.')
    const closed = match(closing, text, next)
    if (closed !== null) {
      if (open.pop()?.name !== closed[1]) throw malformed('A closing tag does not match its opening tag.')
      isAfterRoot = open.length === 0
      at = closing.lastIndex
      continue
    }
    const opened = match(opening, text, next)
    if (opened === null) throw malformed('A tag is malformed.')
    if (isAfterRoot) throw malformed('There is more than one root element.')
    elements += 1
    if (elements > mostElements)
      throw new SamlRefusal('message_too_large', `The message has more than ${mostElements} elements.`)
    if (open.length >= deepest)
      throw new SamlRefusal('message_too_large', `Elements are nested deeper than ${deepest}.`)
    const attributes = readAttributes(text, opening.lastIndex, ids)
    at = attributes.end
    const prefixes = prefixesIn(open.at(-1)?.prefixes ?? xmlOnly, opened[1] ?? '', attributes.names)
    const endMatch = match(ending, text, at)
    if (endMatch === null) throw malformed('A tag is malformed.')
    at = ending.lastIndex
    if (endMatch[1] === '') open.push({ name: opened[1] ?? '', prefixes })
    else isAfterRoot = open.length === 0
  }
  if (open.length > 0 || !isAfterRoot) throw malformed('The message ends before its root element does.')
}

function refuseCharacters(text: string): void {
  if (/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text)) {
    throw malformed('The message has characters that XML does not allow.')
  }
  if (/&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)/.test(text)) {
    throw forbidden('The message refers to an entity that XML does not define.')
  }
  for (const [, hex, decimal] of text.matchAll(/&#(?:x([0-9A-Fa-f]+)|(\d+));/g)) {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (!isCharacter(code)) throw malformed('The message has characters that XML does not allow.')
  }
}

/** XML 1.0 §2.2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff)
}

function endOfComment(text: string, start: number): number {
  const end = text.indexOf('--', start + 4)
  if (end === -1 || text[end + 2] !== '>') throw malformed('A comment is malformed.')
  return end + 3
}

function readAttributes(text: string, start: number, ids: Set<string>): { names: Set<string>; end: number } {
  const names = new Set<string>()
  let at = start
  for (let found = match(attribute, text, at); found !== null; found = match(attribute, text, at)) {
    at = attribute.lastIndex
    const [, full = '', double, single] = found
    const value = double ?? single ?? ''
    if (names.has(full)) throw malformed('An element has the same attribute twice.')
    names.add(full)
    if (full === 'xmlns' || full.startsWith('xmlns:')) refuseNamespace(full, value)
    else refuseId(full, value, ids)
  }
  return { names, end: at }
}

/** The prefixes that are declared within an element. Parsers differ in what an undeclared one means. */
function prefixesIn(outer: ReadonlySet<string>, element: string, attributes: ReadonlySet<string>): ReadonlySet<string> {
  const declared = [...attributes].filter((one) => one.startsWith('xmlns:')).map((one) => one.slice(6))
  const prefixes = declared.length === 0 ? outer : new Set([...outer, ...declared])
  for (const one of [element, ...attributes]) {
    const prefix = one.includes(':') ? one.slice(0, one.indexOf(':')) : 'xml'
    if (prefix !== 'xmlns' && !prefixes.has(prefix))
      throw malformed('The message uses a namespace prefix that it does not declare.')
  }
  return prefixes
}

function refuseNamespace(declared: string, uri: string): void {
  if (declared === 'xmlns:xml' || declared === 'xmlns:xmlns' || reservedNamespaces.includes(uri)) {
    throw forbidden('The message declares a reserved namespace prefix.')
  }
  if (uri === '' && declared === 'xmlns') return
  // With a relative one, canonicalization of other libraries yields nothing, and nothing is what they sign.
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:[^&\s]+$/.test(uri))
    throw forbidden('The message declares a namespace that is not an absolute URI.')
}

/** One element for each ID, under whatever name a library looks for it. */
function refuseId(full: string, value: string, ids: Set<string>): void {
  const local = full.slice(full.indexOf(':') + 1)
  if (local.toLowerCase() !== 'id') return
  if (local !== full) throw forbidden('The message has an ID attribute with a prefix.')
  if (!/^[\w.:-]{1,256}$/.test(value)) throw forbidden(`The ID ${quoted(value)} is not one.`)
  if (ids.has(value)) throw forbidden('Two elements of the message have the same ID.')
  ids.add(value)
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function malformed(detail: string): SamlRefusal {
  return new SamlRefusal('message_malformed', detail)
}

function forbidden(detail: string): SamlRefusal {
  return new SamlRefusal('message_forbidden', detail)
}
