/** Compares distinguished names by their parts (RFC 4514, and the habits of RFC 2253 and 1779), not as texts. */

/** Attributes of names of groups and people. A text such as `team=Blue` is no distinguished name. */
const attributes: Readonly<Record<string, string>> = {
  commonname: 'cn',
  countryname: 'c',
  domaincomponent: 'dc',
  localityname: 'l',
  organizationname: 'o',
  organizationalunitname: 'ou',
  stateorprovincename: 'st',
  streetaddress: 'street',
  userid: 'uid',
  '2.5.4.3': 'cn',
  '2.5.4.6': 'c',
  '2.5.4.7': 'l',
  '2.5.4.8': 'st',
  '2.5.4.9': 'street',
  '2.5.4.10': 'o',
  '2.5.4.11': 'ou',
  '0.9.2342.19200300.100.1.1': 'uid',
  '0.9.2342.19200300.100.1.25': 'dc',
}
const known: ReadonlySet<string> = new Set(Object.values(attributes))

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Returns the key by which a distinguished name is compared: attributes, case, spaces, escapes and the order within a
 * multi-valued part do not matter. Undefined if the text is no distinguished name.
 */
export function distinguishedNameKey(text: string): string | undefined {
  // No directory has longer ones.
  if (text.length > 2048 || !text.includes('=')) return undefined
  const parts: string[][] = [[]]
  let at = 0
  const end = text.length
  while (at < end) {
    const equals = text.indexOf('=', at)
    if (equals < 0) return undefined
    const written = text
      .slice(at, equals)
      .trim()
      .toLowerCase()
      .replace(/^oid\./, '')
    const attribute = attributes[written] ?? written
    if (!known.has(attribute)) return undefined
    const value = readValue(text, equals + 1)
    if (value === undefined) return undefined
    parts.at(-1)?.push(JSON.stringify([attribute, folded(value.text)]))
    at = value.end
    if (at === end) break
    if (text[at] !== '+') parts.push([])
    at++
    // Nothing follows the separator.
    if (at === end) return undefined
  }
  return parts.map((part) => part.toSorted().join('+')).join(',')
}

/** RFC 4518: letters, widths and spaces that a directory does not distinguish. */
function folded(value: string): string {
  return value.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/gu, ' ').trim()
}

/** Reads up to the next separator. Undefined if the value is malformed. */
function readValue(text: string, from: number): { text: string; end: number } | undefined {
  let at = from
  while (text[at] === ' ') at++
  if (text[at] === '"') return readQuoted(text, at + 1)
  const bytes: number[] = []
  let trimmedLength = 0
  for (; at < text.length; at++) {
    const char = text[at] as string
    if (char === ',' || char === ';' || char === '+') break
    if (char === '"' || char === '<' || char === '>' || char === '\0') return undefined
    if (char === '\\') {
      const escaped = readEscape(text, at)
      if (escaped === undefined) return undefined
      bytes.push(...escaped.bytes)
      at = escaped.end - 1
      trimmedLength = bytes.length
      continue
    }
    const code = text.codePointAt(at) as number
    bytes.push(...Buffer.from(String.fromCodePoint(code)))
    if (code > 0xffff) at++
    if (char !== ' ') trimmedLength = bytes.length
  }
  return decoded(bytes.slice(0, trimmedLength), at)
}

function readQuoted(text: string, from: number): { text: string; end: number } | undefined {
  const bytes: number[] = []
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string
    if (char === '"') {
      let end = at + 1
      while (text[end] === ' ') end++
      return end === text.length || /[,;+]/.test(text[end] as string) ? decoded(bytes, end) : undefined
    }
    if (char === '\\') {
      const escaped = readEscape(text, at)
      if (escaped === undefined) return undefined
      bytes.push(...escaped.bytes)
      at = escaped.end - 1
      continue
    }
    const code = text.codePointAt(at) as number
    bytes.push(...Buffer.from(String.fromCodePoint(code)))
    if (code > 0xffff) at++
  }
  return undefined
}

/** `\2C` is a byte, `\,` a character. */
function readEscape(text: string, at: number): { bytes: readonly number[]; end: number } | undefined {
  const hex = text.slice(at + 1, at + 3)
  if (/^[0-9a-f]{2}$/i.test(hex)) return { bytes: [Number.parseInt(hex, 16)], end: at + 3 }
  const char = text[at + 1]
  return char !== undefined && /[ "#+,;<=>\\]/.test(char) ? { bytes: [...Buffer.from(char)], end: at + 2 } : undefined
}

function decoded(bytes: readonly number[], end: number): { text: string; end: number } | undefined {
  try {
    return { text: utf8.decode(Uint8Array.from(bytes)), end }
  } catch {
    return undefined
  }
}
