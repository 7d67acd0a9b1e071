/** Finds and rates texts that are spelt nearly as a search is: trigrams find them, and the edit distance of words rates them. */
import { editDistance } from '../../lib/edit-distance.ts'
import { wordsIn } from './search-terms.ts'

/** The longest words of a longer search are compared. */
const mostWords = 4
/** What separates words in names, usernames and email addresses, and between the fields of a search text: no index finds it. */
const betweenWords = /[^\p{L}\p{N}]+/u

/** The words of a search that are compared: those of three or more characters, in the form of search texts. */
export function wordsToCompare(q: string): string[] {
  const words = wordsIn(q)
    .flatMap((word) => word.split(betweenWords))
    .filter((word) => [...word].length >= 3)
  return [...new Set(words)].toSorted((a, b) => b.length - a.length).slice(0, mostWords)
}

/**
 * Lists of texts of three or more characters. A search text with a word that is nearly this one contains all texts of a list:
 * one wrong, missing, additional or swapped character leaves a half of a long word whole, and two trigrams of a short one.
 */
export function alternativesOf(word: string): string[][] {
  const characters = [...word]
  const part = (from: number, end?: number) => characters.slice(from, end).join('')
  // At the beginning of a field.
  const beginning = `\n${part(0, 2)}`
  if (characters.length > 5) {
    const half = Math.ceil(characters.length / 2)
    return [[part(0, half)], [part(half)], [beginning, part(-3)]]
  }
  const trigrams = [beginning, ...characters.slice(2).map((_, i) => part(i, i + 3))]
  const pairs =
    characters.length === 3
      ? trigrams.map((one) => [one])
      : trigrams.flatMap((one, i) => trigrams.slice(i + 1).map((other) => [one, other]))
  const swapped = characters.slice(1).map((_, i) => [part(0, i) + characters[i + 1] + characters[i] + part(i + 2)])
  return [...pairs, ...swapped]
}

/**
 * Returns a function that rates a search text: 1 if it contains every word, 0 if it has nothing like them. It remembers the
 * words that it has compared.
 */
export function likenessTo(words: readonly string[]): (searchText: string) => number {
  const compared = words.map((word) => ({ word, known: new Map<string, number>() }))
  return (searchText) => {
    const others = searchText.split(betweenWords)
    let sum = 0
    for (const { word, known } of compared) {
      let best = 0
      for (const other of others) {
        let likeness = known.get(other)
        if (likeness === undefined) {
          likeness = likenessOf(word, other)
          known.set(other, likeness)
        }
        if (likeness > best) best = likeness
      }
      sum += best
    }
    return sum / words.length
  }
}

/** How many characters may differ in a word of this length. */
const mostDifferent = (length: number) => (length < 5 ? 1 : length < 9 ? 2 : 3)
/** The likeness of a word that contains the other one. */
const containing = 0.95

function likenessOf(word: string, other: string): number {
  if (word === other) return 1
  if (other.includes(word)) return containing
  const most = mostDifferent(word.length)
  const distance = editDistance(word, other, most)
  return distance > most ? 0 : 1 - distance / Math.max(word.length, other.length)
}
