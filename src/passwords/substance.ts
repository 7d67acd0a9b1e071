import { commonPasswordsAt } from './common-passwords.ts'

// What a part of a password is worth against someone who guesses, in half letters: a common word two and a half letters
// however long it is, a part that follows from rows of keys, from counting or from what stands before it, one.
const LETTER = 2
const DIGIT_OR_PUNCTUATION = 1
const COMMON_WORD = 5
const PATTERN = 2
const YEAR = 1
/** From this length on an entry of the list is a sentence. */
const SENTENCE = 15

// The time grows with the square of this. A password that begins with so much of nothing is refused whatever follows.
const LONGEST_LOOK = 256

/** What is left of a password, in letters, when the parts that guessers try first count little. */
export function substance(password: string): number {
  return Math.min(...readings(password).map((text) => leastPrice(text, []))) / LETTER
}

/**
 * The same, when the words of the context count nothing, nor the digits and punctuation with which people pad them.
 * Undefined when no such word stands in the password.
 */
export function substanceBeside(context: readonly string[], password: string): number | undefined {
  const words = context.flatMap((word) => [comparable(word), squeezed(comparable(word))]).filter(Boolean)
  const concerned = readings(password).filter((text) => words.some((word) => text.includes(word)))
  if (concerned.length === 0) return undefined
  return Math.min(...concerned.map((text) => leastPrice(text, words))) / LETTER
}

/** The password as a guesser's rules see it: without case and accents, without separators, with 0 for o undone. */
function readings(password: string): string[] {
  const plain = comparable(password)
  const texts = [plain, squeezed(plain), withoutLeet(plain), withoutLeet(squeezed(plain))]
  return [...new Set(texts.map((text) => text.slice(0, LONGEST_LOOK)))]
}

export function comparable(text: string): string {
  const latinWithoutAccents = text.normalize('NFKD').replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
  return latinWithoutAccents.toLowerCase().normalize('NFKC')
}

function squeezed(text: string): string {
  return text.replace(/[\p{Z}\-_.,:;'!?]/gu, '')
}

function withoutLeet(text: string): string {
  return text.replace(/[013457@$!+]/g, (sign) => 'oieastasit'['013457@$!+'.indexOf(sign)] ?? sign)
}

/** The text is put together from parts in the cheapest way, from its end to its beginning. */
function leastPrice(text: string, context: readonly string[]): number {
  const padding = context.length > 0 ? 0 : DIGIT_OR_PUNCTUATION
  const repeated = repeatedLengths(text)
  const priceFrom = new Array<number>(text.length + 1).fill(0)

  for (let at = text.length - 1; at >= 0; at--) {
    let least = Number.POSITIVE_INFINITY
    const offer = (price: number, shortest: number, longest = shortest): void => {
      for (let end = at + shortest; end <= at + longest; end++) least = Math.min(least, price + (priceFrom[end] ?? 0))
    }
    offer(isPadding(text.charAt(at)) ? padding : LETTER, 1)
    offer(PATTERN, 3, repeated[at])
    offer(PATTERN, 4, sequenceLength(text, at))
    offer(PATTERN, 4, keyRowLength(text, at))
    if (isYear(text, at)) offer(Math.min(YEAR, padding), 4)
    for (const word of commonPasswordsAt(text, at)) {
      // A known sentence with anything beside it is no longer the one that guessers try.
      const counts = word.length < SENTENCE || word.length === text.length
      if (counts && text.startsWith(word, at)) offer(COMMON_WORD, word.length)
    }
    for (const word of context) if (text.startsWith(word, at)) offer(0, word.length)
    priceFrom[at] = least
  }
  return priceFrom[0] ?? 0
}

function isPadding(unit: string): boolean {
  return /[\p{Nd}\p{P}\p{Z}$+<=>^`|~]/u.test(unit)
}

function isYear(text: string, at: number): boolean {
  year.lastIndex = at
  return year.test(text)
}

const year = /(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])/y

/** For each position, how much of the text from there has already begun before it: 3 at the fourth letter of "abcabc". */
function repeatedLengths(text: string): number[] {
  const longest = new Array<number>(text.length).fill(0)
  // How far the text from `earlier` and the text from `at` run alike; read from the row of at + 1 before it is replaced.
  const alike = new Array<number>(text.length + 1).fill(0)
  for (let at = text.length - 1; at > 0; at--) {
    for (let earlier = 0; earlier < at; earlier++) {
      const length = text.charCodeAt(earlier) === text.charCodeAt(at) ? (alike[earlier + 1] ?? 0) + 1 : 0
      alike[earlier] = length
      if (length > (longest[at] ?? 0)) longest[at] = length
    }
  }
  return longest
}

/** How far the characters from there on count up or down in steps of one or two. */
function sequenceLength(text: string, at: number): number {
  const step = text.charCodeAt(at + 1) - text.charCodeAt(at)
  if (![-2, -1, 1, 2].includes(step)) return 0
  let end = at + 2
  while (text.charCodeAt(end) - text.charCodeAt(end - 1) === step) end++
  return end - at
}

function keyRowLength(text: string, at: number): number {
  let length = 4
  while (at + length <= text.length && keyRows.includes(text.slice(at, at + length))) length++
  return length - 1
}

const keyRows = withReversed(
  "`1234567890-= qwertyuiop[] asdfghjkl;' zxcvbnm,./ ~!@#$%^&*()_+ qwertzuiopü asdfghjklöä yxcvbnm azertyuiop " +
    'qsdfghjklm wxcvbn йцукенгшщзхъ фывапролджэ ячсмитьбю 789456123 147258369 1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p ' +
    '1qazxsw23edcvfr45tgbnhy67ujm zaq12wsxcde34rfvbgt56yhn zaq1xsw2cde3vfr4bgt5nhy6mju7 qazwsxedcrfvtgbyhnujmikolp ' +
    '1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0 a1b2c3d4e5f6g7h8i9j0',
)

function withReversed(rows: string): string {
  return `${rows} ${Array.from(rows).reverse().join('')}`
}
