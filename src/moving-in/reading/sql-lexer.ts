export type Token = { kind: 'word' | 'quoted' | 'string' | 'number' | 'punct'; text: string }

export const is = (token: Token, word: string): boolean => token.kind === 'word' && token.text.toLowerCase() === word
export const isPunct = (token: Token | undefined, sign: string): boolean =>
  token?.kind === 'punct' && token.text === sign

/** The statement continues beyond the available text. */
export class NotAllThere extends Error {}

/** The fault, without a full stop. */
export class NotUnderstood extends Error {}

/** Splits PostgreSQL's SQL into tokens, from the text available so far. */
export class Lexer {
  at: number
  readonly #text: string
  readonly #ended: boolean

  constructor(text: string, at: number, isEnded: boolean) {
    this.#text = text
    this.at = at
    this.#ended = isEnded
  }

  need(): Token {
    const token = this.next()
    if (token === undefined) throw new NotAllThere()
    return token
  }

  next(): Token | undefined {
    this.#skipSpace()
    const text = this.#text
    const start = this.at
    const sign = text[start]
    if (sign === undefined) return undefined
    // The next character decides whether a token ends here.
    if (text.length - start < 3 && !this.#ended) throw new NotAllThere()
    if (sign === "'") return { kind: 'string', text: this.#quoted(start + 1, "'").replaceAll("''", "'") }
    if (sign === '"') return { kind: 'quoted', text: this.#quoted(start + 1, '"').replaceAll('""', '"') }
    if ((sign === 'E' || sign === 'e') && text[start + 1] === "'")
      return { kind: 'string', text: this.#escaped(start + 2) }
    if (sign === '$') return this.#dollarQuoted(start)
    if (/[\p{L}_]/u.test(sign)) return { kind: 'word', text: this.#run(/[\p{L}\p{N}_$]*/uy) }
    if (/[0-9]/.test(sign)) return { kind: 'number', text: this.#run(/[0-9.]+(?:e[+-]?[0-9]+)?/iy) }
    this.at = text.startsWith('::', start) ? start + 2 : start + 1
    return { kind: 'punct', text: text.slice(start, this.at) }
  }

  skipPunct(sign: string): boolean {
    const before = this.at
    if (isPunct(this.need(), sign)) return true
    this.at = before
    return false
  }

  skipStatement(last: Token): void {
    for (let token = last; !isPunct(token, ';'); token = this.need());
  }

  endOfLine(): number {
    const newline = this.#text.indexOf('\n', this.at)
    if (newline < 0) throw new NotAllThere()
    return newline + 1
  }

  /** psql commands, such as `\restrict`. */
  skipMetaCommands(): void {
    for (this.#skipSpace(); this.#text[this.at] === '\\'; this.#skipSpace()) {
      const newline = this.#text.indexOf('\n', this.at)
      if (newline < 0 && !this.#ended) throw new NotAllThere()
      this.at = newline < 0 ? this.#text.length : newline + 1
    }
  }

  #skipSpace(): void {
    const text = this.#text
    for (;;) {
      space.lastIndex = this.at
      space.test(text)
      this.at = space.lastIndex
      if (text.startsWith('--', this.at)) {
        const newline = text.indexOf('\n', this.at)
        if (newline < 0 && !this.#ended) throw new NotAllThere()
        this.at = newline < 0 ? text.length : newline + 1
      } else if (text.startsWith('/*', this.at)) {
        const end = text.indexOf('*/', this.at)
        if (end < 0) throw new NotAllThere()
        this.at = end + 2
      } else return
    }
  }

  #quoted(start: number, quote: string): string {
    let end = this.#text.indexOf(quote, start)
    while (end >= 0 && this.#text[end + 1] === quote) end = this.#text.indexOf(quote, end + 2)
    if (end < 0 || (end + 1 === this.#text.length && !this.#ended)) throw new NotAllThere()
    this.at = end + 1
    return this.#text.slice(start, end)
  }

  #escaped(start: number): string {
    escapedEnd.lastIndex = start
    const match = escapedEnd.exec(this.#text)
    if (match === null || (escapedEnd.lastIndex === this.#text.length && !this.#ended)) throw new NotAllThere()
    this.at = escapedEnd.lastIndex
    return unescaped(match[0].slice(0, -1).replaceAll("''", "'"))
  }

  #dollarQuoted(start: number): Token {
    const tag = /^\$[\p{L}\p{N}_]*\$/u.exec(this.#text.slice(start, start + 70))?.[0]
    if (tag === undefined) {
      if (this.#text.length - start < 70 && !this.#ended) throw new NotAllThere()
      this.at = start + 1
      return { kind: 'punct', text: '$' }
    }
    const end = this.#text.indexOf(tag, start + tag.length)
    if (end < 0) throw new NotAllThere()
    this.at = end + tag.length
    return { kind: 'string', text: this.#text.slice(start + tag.length, end) }
  }

  #run(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const text = pattern.exec(this.#text)?.[0] ?? ''
    if (this.at + text.length === this.#text.length && !this.#ended) throw new NotAllThere()
    this.at += text.length
    return text
  }
}

const space = /\s*/y
const escapedEnd = /(?:[^'\\]|''|\\[\s\S])*'(?!')/y

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** The escapes of COPY and of `E'…'`; COPY has fewer. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const form = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/g
  return text.replaceAll(form, (_, four, eight, hex, octal, letter) => {
    if (letter !== undefined) return escapes[letter] ?? letter
    const code = octal === undefined ? Number.parseInt(four ?? eight ?? hex, 16) : Number.parseInt(octal, 8)
    return String.fromCodePoint(Math.min(code, 0x10ffff))
  })
}
