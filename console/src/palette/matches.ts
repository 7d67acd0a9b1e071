/** Finds entries by text: each typed word must be a prefix of a word of the entry, ignoring case and accents. */
export function matches(text: string, entry: string): boolean {
  const words = wordsOf(entry)
  return wordsOf(text).every((wanted) => words.some((word) => word.startsWith(wanted)))
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
