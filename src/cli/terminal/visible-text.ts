/**
 * Text of others on a terminal. A name may hold what moves the cursor, sets the title, or turns the order of the letters
 * around; such characters are written as \u{…}. Joiners stay: Persian and emoji are written with them.
 */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const plain = /^[\x20-\x7e]*$/

export function visible(text: string): string {
  return plain.test(text) ? text : text.replace(hidden, written)
}

/** The same for control characters alone, which no name of a user can have. */
export function withoutControls(text: string): string {
  return plain.test(text) ? text : text.replace(/\p{Cc}/gu, written)
}

function written(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`
}

/** A piece of a file that is shown on a terminal, whole lines or not. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\n]+/g, visible)
}

/** JSON with the same meaning, in which nothing is left that a terminal obeys: `JSON.stringify` leaves C1 and the like. */
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

/** How many columns of a terminal the text takes, about: letters of East Asia take two, marks above a letter none. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const character of text) width += nothing.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
}
