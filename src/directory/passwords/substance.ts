import { commonPasswordsAt } from './common-passwords.ts'

// What a part of a password is worth against an attacker who guesses, in half letters: a common word counts two and a half
// letters however long it is; a part that follows from rows of keys, from counting or from the part before it, one or one and a half.
const LETTER = 2
const DIGIT_OR_PUNCTUATION = 1
const COMMON_WORD = 5
const PATTERN = 2
/** Random characters hold a short row of keys or numbers now and then. */
const SHORT_PATTERN = 3
const LONGEST_SHORT = 6
const YEAR = 1
/** From this length on an entry of the list is a sentence. */
const SENTENCE = 15

// The time grows with the square of this. A password that begins with this much filler is refused whatever follows.
const LONGEST_LOOK = 256

/** Returns the effective length of a password, in letters, when parts that attackers try first count little. */
export function substance(password: string): number {
  return Math.min(...readings(password).map((reading) => leastPrice(reading, []) + reading.extra)) / LETTER
}

/**
 * The same for what is left of the password without the words of the context. It is judged in place and joined
 * together, so that a weak rest is not worth more on both sides of a word. Undefined when no such word is in the password.
 */
export function substanceBeside(context: readonly string[], password: string): number | undefined {
  const words = [...new Set(context.flatMap((word) => [comparable(word), squeezed(comparable(word))]))].filter(Boolean)
  const isConcerned = ({ text, leet }: Reading) => words.some((word) => text.includes(word) || leet.includes(word))
  const concerned = readings(password).filter(isConcerned)
  if (concerned.length === 0) return undefined
  const prices = concerned.map((reading) => {
    const joined = leastPrice(without(words, reading), [])
    return Math.min(leastPrice(reading, words), joined) + reading.extra
  })
  return Math.min(...prices) / LETTER
}

/** A form of the password. `leet` is the same with 0 for o undone, sign by sign. */
type Reading = {
  text: string
  leet: string
  /** The value of the separators that this form leaves out. */
  extra: number
}

/** The password as a guesser's rules see it: without case and accents, and without separators. */
function readings(password: string): Reading[] {
  const plain = comparable(password)
  // People put one separator between words. Each further kind is a choice that a guesser has to try.
  const kinds = new Set(plain.match(separator)).size
  const extra = Math.max(0, kinds - 1) * DIGIT_OR_PUNCTUATION
  const readingOf = (text: string, extra: number) => {
    const looked = text.slice(0, LONGEST_LOOK)
    return { text: looked, leet: withoutLeet(looked), extra }
  }
  return [readingOf(plain, 0), readingOf(squeezed(plain), extra)]
}

/** The remainder of both forms after removing each position covered by a word in either of them. */
function without(words: readonly string[], { text, leet, extra }: Reading): Reading {
  const isGone = new Array<boolean>(text.length).fill(false)
  for (const form of [text, leet]) {
    for (const word of words) {
      for (let at = form.indexOf(word); at !== -1; at = form.indexOf(word, at + 1)) {
        isGone.fill(true, at, at + word.length)
      }
    }
  }
  const rest = (form: string) => Array.from({ length: form.length }, (_, at) => (isGone[at] ? '' : form[at])).join('')
  return { text: rest(text), leet: rest(leet), extra }
}

export function comparable(text: string): string {
  const latinWithoutAccents = text.normalize('NFKD').replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
  return latinWithoutAccents.toLowerCase().normalize('NFKC')
}

const separator = /[\p{Z}\-_.,:;'!?]/gu

function squeezed(text: string): string {
  return text.replace(separator, '')
}

function withoutLeet(text: string): string {
  return text.replace(/[013457@$!+]/g, (sign) => 'oieastasit'['013457@$!+'.indexOf(sign)] ?? sign)
}

/**
 * The text is put together from parts in the cheapest way, from its end to its beginning. Each part is looked for in both
 * forms: in "p4ssw0rd1234" the word is one of the second, the row of numbers one of the first.
 */
function leastPrice({ text, leet }: Pick<Reading, 'text' | 'leet'>, context: readonly string[]): number {
  const forms = text === leet ? [text] : [text, leet]
  const repeated = forms.map(repeatedLengths)
  const priceFrom = new Array<number>(text.length + 1).fill(0)

  for (let at = text.length - 1; at >= 0; at--) {
    let least = Number.POSITIVE_INFINITY
    const offer = (price: number, shortest: number, longest = shortest): void => {
      for (let end = at + shortest; end <= at + longest; end++) least = Math.min(least, price + (priceFrom[end] ?? 0))
    }
    offer(isDigitOrPunctuation(text.charAt(at)) ? DIGIT_OR_PUNCTUATION : LETTER, 1)
    if (isYear(text, at)) offer(YEAR, 4)
    for (const [n, form] of forms.entries()) {
      offer(PATTERN, 3, repeated[n]?.[at])
      const rowLength = Math.max(sequenceLength(form, at), keyRowLength(form, at))
      offer(SHORT_PATTERN, 4, Math.min(rowLength, LONGEST_SHORT))
      offer(PATTERN, LONGEST_SHORT + 1, rowLength)
      for (const word of commonPasswordsAt(form, at)) {
        // A known sentence with anything beside it is no longer the one that guessers try.
        const counts = word.length < SENTENCE || word.length === form.length
        if (counts && form.startsWith(word, at)) offer(COMMON_WORD, word.length)
      }
      for (const word of context) if (form.startsWith(word, at)) offer(0, word.length)
    }
    priceFrom[at] = least
  }
  return priceFrom[0] ?? 0
}

function isDigitOrPunctuation(unit: string): boolean {
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
