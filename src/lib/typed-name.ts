/** The names and addresses that people type or paste. */

const ends = /^[\s\u00ad\u200b\u200e\u200f\u2060]+|[\s\u00ad\u200b\u200e\u200f\u2060]+$/gu

/** Removes blanks and invisible characters at the ends, which phone keyboards and pasted text add: no name or address has them. */
export function trimEnds(text: string): string {
  return text.replaceAll(ends, '')
}

/** The marks that keyboards and word processors put in place of `'` and `-`, in the form of keys (NFKC). */
const apostrophes = ["'", '’', '‘', 'ʼ', 'ʻ', '`', '′', '´']
const dashes = ['-', '‐', '–', '—', '−', '‒', '―', '‑']
const anyApostrophe = new RegExp(`[${apostrophes.join('')}]`, 'gu')
const anyDash = new RegExp(`[${dashes.join('').slice(1)}-]`, 'gu')

/** Writes each apostrophe as `'` and each dash as `-`. */
export function plainMarks(text: string): string {
  return text.replaceAll(anyApostrophe, "'").replaceAll(anyDash, '-')
}

/**
 * Returns the ways in which a name may be written, each with one kind of apostrophe and of dash: it may have been stored with another mark
 * than the one on the user's keyboard. Empty for a name without such marks.
 */
export function spellingsOf(name: string): string[] {
  const kinds = (marks: readonly string[], any: RegExp) => (name.search(any) === -1 ? [undefined] : marks)
  const found = kinds(apostrophes, anyApostrophe).flatMap((apostrophe) =>
    kinds(dashes, anyDash).map((dash) => {
      const text = apostrophe === undefined ? name : name.replaceAll(anyApostrophe, apostrophe)
      return dash === undefined ? text : text.replaceAll(anyDash, dash)
    }),
  )
  return found.filter((one) => one !== name)
}
