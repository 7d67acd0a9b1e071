/**
 * Reads XML while it arrives, as far as files of spreadsheets need it: elements, attributes and texts. Refuses a document
 * type, so that no entity can be defined, and markup or text that is too long.
 */

export type XmlHandler = {
  /** `attributes`: as they stand in the tag, for `attributeOf`. An empty element is opened and closed. */
  open(name: string, attributes: string): void
  close(name: string): void
  /** A text between two tags. */
  text(text: string): void
}

/** `malformed`: also a document type and an entity that XML itself does not define. */
export class XmlFault extends Error {
  readonly code: 'malformed' | 'too_long'

  constructor(code: XmlFault['code']) {
    super(`The XML cannot be read (${code}).`)
    this.code = code
  }
}

/** Characters of a tag or text: far more than a cell of a spreadsheet may have. */
const longest = 1024 * 1024

/** Names are passed without their prefix. */
export function xmlReader(handler: XmlHandler) {
  let rest = ''

  /** Reads complete tags, and returns where the first incomplete one starts. */
  function read(text: string): number {
    let at = 0
    for (;;) {
      const start = text.indexOf('<', at)
      if (start < 0) return at
      if (start > at) handler.text(decoded(text.slice(at, start)))
      const end = endOf(text, start)
      if (end < 0) return start
      const second = text[start + 1]
      if (second === '/') handler.close(withoutPrefix(text.slice(start + 2, end).trimEnd()))
      else if (second === '!') {
        if (text.startsWith('<![CDATA[', start)) handler.text(text.slice(start + 9, end - 2))
      } else if (second !== '?') openTag(text.slice(start + 1, end))
      at = end + 1
    }
  }

  function openTag(tag: string): void {
    const isEmpty = tag.endsWith('/')
    const whole = isEmpty ? tag.slice(0, -1) : tag
    const blank = whole.search(/\s/)
    const name = withoutPrefix(blank < 0 ? whole : whole.slice(0, blank))
    if (name === '') throw new XmlFault('malformed')
    handler.open(name, blank < 0 ? '' : whole.slice(blank))
    if (isEmpty) handler.close(name)
  }

  return {
    /** @throws XmlFault */
    write(text: string): void {
      const whole = rest + text
      rest = whole.slice(read(whole))
      if (rest.length > longest) throw new XmlFault('too_long')
    },
    /** @throws XmlFault if a tag is cut off */
    end(): void {
      if (rest.trim() !== '') throw new XmlFault('malformed')
    },
  }
}

/** Returns where the markup that begins at `start` ends, or -1 if its end has not arrived. @throws XmlFault */
function endOf(text: string, start: number): number {
  if (text.startsWith('<!', start)) {
    for (const [opening, closing] of [
      ['<!--', '-->'],
      ['<![CDATA[', ']]>'],
    ] as const) {
      const known = text.slice(start, start + opening.length)
      if (!opening.startsWith(known)) continue
      const end = known === opening ? text.indexOf(closing, start + opening.length) : -1
      return end < 0 ? -1 : end + 2
    }
    throw new XmlFault('malformed')
  }
  if (text.startsWith('<?', start)) {
    const end = text.indexOf('?>', start)
    return end < 0 ? -1 : end + 1
  }
  // A value may contain the end of a tag.
  for (let at = start + 1, quote = ''; at < text.length; at++) {
    const sign = text[at] as string
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '>') return at
  }
  return -1
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

const attributeForms = new Map<string, RegExp>()

/** Returns the value of an attribute, by its name with or without a prefix; undefined if there is none. */
export function attributeOf(attributes: string, name: string): string | undefined {
  const known = attributeForms.get(name)
  const form = known ?? new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
  if (known === undefined) attributeForms.set(name, form)
  const found = form.exec(attributes)
  return found === null ? undefined : decoded(found[1] ?? found[2] ?? '')
}

const oneAttribute = /\s+([^\s=/"'<>]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y

/** Returns all attributes with their values; names keep their prefix. @throws XmlFault for anything else, and for one that occurs twice */
export function attributesIn(attributes: string): Map<string, string> {
  const found = new Map<string, string>()
  let at = 0
  for (const end = attributes.trimEnd().length; at < end; at = oneAttribute.lastIndex) {
    oneAttribute.lastIndex = at
    const [, name = '', double, single] = oneAttribute.exec(attributes) ?? []
    if (name === '' || found.has(name)) throw new XmlFault('malformed')
    found.set(name, decoded(double ?? single ?? ''))
  }
  return found
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Resolves the entities of XML itself, and numbers of characters. @throws XmlFault for any other */
function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([^;&]*;?)/g, (_, reference: string) => {
    const name = reference.slice(0, -1)
    if (!reference.endsWith(';')) throw new XmlFault('malformed')
    if (Object.hasOwn(entities, name)) return entities[name] as string
    const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name) ?? []
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) throw new XmlFault('malformed')
    return String.fromCodePoint(code)
  })
}
