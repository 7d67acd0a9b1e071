/**
 * Makes untrusted text safe for a terminal. A name may contain characters that move the cursor, set the title or reverse
 * the text; they are written as \u{…}. Joiners stay, because Persian and emoji need them.
 */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const plain = /^[\x20-\x7e]*$/

export function visible(text: string): string {
  return plain.test(text) ? text : text.replace(hidden, written)
}

/** Escapes only control characters, which no username can contain. */
export function withoutControls(text: string): string {
  return plain.test(text) ? text : text.replace(/\p{Cc}/gu, written)
}

function written(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
}

/** Escapes a chunk of a file for a terminal, and keeps its line breaks. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\n]+/g, visible)
}

/** Returns JSON with the same meaning and no control characters: `JSON.stringify` leaves C1 characters. */
export function visibleJson(json: string): string {
  return json.replace(/[\x7f-\u{10ffff}]+/gu, (rest) =>
    rest.replace(hidden, (character) =>
      Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
    ),
  )
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

const ascii = /^[\x20-\x7e]*$/
const nothing = /[\p{M}\u200c\u200d]/u
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

/** Returns roughly how many terminal columns a text takes: East Asian letters take two, combining marks none. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const character of text) width += nothing.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}
