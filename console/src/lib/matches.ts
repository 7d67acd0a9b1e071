import { fold } from '../../../src/lib/fold.ts'

/** Finds entries by text: each typed word must be a prefix of a word of the entry, ignoring case and accents. */
export function matches(text: string, entry: string): boolean {
  const words = wordsOf(entry)
  return wordsOf(text).every((wanted) => words.some((word) => word.startsWith(wanted)))
}

/** Finds a record in a list that the page holds, as the search of users and groups does: contains every word, in any order. */
export function containsWords(text: string, record: string): boolean {
  const folded = fold(record)
  return fold(text)
    .split(/[\s,،、，]+/u)
    .every((word) => folded.includes(word))
}

function wordsOf(text: string): string[] {
  return fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}
