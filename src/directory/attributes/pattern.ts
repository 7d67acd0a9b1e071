/**
 * Patterns of attributes: expressions of RE2, whose time grows with the text times the size of the compiled program. Both are
 * bounded, because a change checks them while all other changes wait. Nothing is compiled before its size is known.
 */

/** How large a program may be. `.{1,100}` is 202, a UUID 46. */
export const largestProgram = 1000
/** How many characters times instructions one text may take: some 20 ms at worst. */
const stepsOfText = 131_072
/** The same for all texts of one change. */
export const stepsOfChange = 2 * stepsOfText

export type Pattern = {
  matches(text: string): boolean
  /** Instructions per character, at most. */
  size: number
  /** How many characters a text may have. */
  longest: number
}

/** Loads the library when the first attribute has a pattern. @throws RE2JSException for a text that is not a pattern */
export async function compilePattern(pattern: string): Promise<Pattern> {
  const { RE2JS } = await import('re2js')
  const expression = RE2JS.compile(pattern)
  const size = expression.programSize()
  // `test` would keep states between texts, whose number is not bounded by the text.
  return { matches: (text) => expression.matcher(text).find(), size, longest: Math.floor(stepsOfText / size) }
}

const token =
  /\\Q([\s\S]*?)(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]?|\[\^?\]?(?:\[:\^?\w*:\]|\\[\s\S]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|\(\?[a-zA-Z-]+\)|[\s\S]/gu

/**
 * Estimates how many instructions a pattern has, without compiling it: a counted repetition is as many copies, and nested ones
 * multiply. Expressions that may be empty take one or two more.
 */
export function estimateSize(pattern: string): number {
  const outer: number[] = []
  let [sum, last] = [4, 0]
  for (const [text, quoted, least, comma, most] of pattern.matchAll(token)) {
    if (text === '(') {
      outer.push(sum)
      ;[sum, last] = [0, 0]
    } else if (text === ')') {
      last = sum + 3
      sum = (outer.pop() ?? 0) + last
    } else if (least !== undefined) {
      const times = Math.max(1, most ? Number(most) : Number(least) + (comma ? 1 : 0))
      const copies = last * times + (comma ? times : 0)
      sum += copies - last
      last = copies
    } else if (!text.startsWith('(?')) {
      // A repetition of something that may be empty takes two.
      const size = quoted?.length ?? (/^[*|]$/.test(text) ? 2 : 1)
      // A mark of repetition belongs to what it repeats.
      last = /^[*+?]$/.test(text) ? last + size : size
      sum += size
    }
  }
  return sum + outer.reduce((all, one) => all + one, 0)
}
