/**
 * Returns where a text stops being JSON: the start of the first unexpected word or character, or the text's length if
 * something is missing at its end. Undefined if the text is JSON. JSON.parse does not always report the place, and it
 * quotes the text.
 */
export function jsonFaultPosition(text: string): number | undefined {
  const awaitedClosings: ('}' | ']')[] = []
  let expected: 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'separator' = 'value'
  let at = 0
  for (;;) {
    at = after(whitespace, text, at) ?? at
    const character = text.charAt(at)
    const closing = awaitedClosings.at(-1)

    if (expected === 'separator' && closing === undefined) return character === '' ? undefined : at

    if (character === closing && (expected === 'separator' || expected.endsWith(closing))) {
      awaitedClosings.pop()
      expected = 'separator'
      at++
    } else if (expected === 'separator') {
      if (character !== ',') return at
      expected = closing === '}' ? 'name' : 'value'
      at++
    } else if (expected === 'colon') {
      if (character !== ':') return at
      expected = 'value'
      at++
    } else if (character === '"') {
      at = after(stringUpToItsEnd, text, at) ?? at
      if (text.charAt(at) !== '"') return at
      expected = expected.startsWith('name') ? 'colon' : 'separator'
      at++
    } else if (expected.startsWith('name')) {
      return at
    } else if (character === '{') {
      awaitedClosings.push('}')
      expected = 'name or }'
      at++
    } else if (character === '[') {
      awaitedClosings.push(']')
      expected = 'value or ]'
      at++
    } else {
      const end = after(numberOrLiteral, text, at)
      if (end === undefined) return at
      expected = 'separator'
      at = end
    }
  }
}

// RFC 8259 §2, §7, §6 and §3.
const whitespace = /[ \t\n\r]+/y
const stringUpToItsEnd = /"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*/y
const numberOrLiteral = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y

function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
