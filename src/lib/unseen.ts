/** Characters that a name must not have: a reader does not see them, or sees the rest of the line in another order or on another line. */

/** Controls, and the separators of lines and paragraphs. */
const breaks = String.raw`\p{Cc}\u2028\u2029`

/**
 * Marks of direction (UAX 9), and what is drawn as nothing: spaces without width, fillers of Hangul, tags, marks of annotations, and code
 * points that are no character. Not the joiners, which Persian and the scripts of India need, nor variation selectors, which names in
 * Japanese have.
 */
const invisible = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff\p{Cs}\u{e0000}-\u{e00ff}`

const lineBreak = new RegExp(`[${breaks}]+`, 'gu')
const unseen = new RegExp(`[${breaks}${invisible}]`, 'u')
const invisibles = new RegExp(`[${invisible}]`, 'gu')

export function hasUnseen(text: string): boolean {
  return unseen.test(text)
}

/** Whether a text of other programs, such as an id, is more than one line. */
export function hasLineBreak(text: string): boolean {
  return text.search(lineBreak) !== -1
}

export const unseenRefused =
  'Control characters, line breaks, invisible characters and marks that turn the direction of text are not allowed.'

/** Returns a name that another system sent, in the form that one may have here. */
export function withoutUnseen(text: string): string {
  return text.replaceAll(lineBreak, ' ').replaceAll(invisibles, '')
}
