/** Reads and writes the query of a URL. */
import querystring from 'node:querystring'

/** Parameters whose value consists of words: in these alone, a plus may stand for a blank. */
const wordParameters = new Set(['q', 'filter', 'attributes', 'excludedattributes', 'ui_locales'])

/**
 * Reads a query, without its question mark. A plus is a plus (RFC 3986 §2.2), as in `a+b@example.com` and `+02:00`. Form encoders
 * write blanks as pluses (URL Standard §5.2): in parameters of words it is read so, unless the value has a blank as `%20`.
 */
export function readQuery(text: string): Record<string, string | string[]> {
  const exact = text.includes('+') ? text.split('&').map(withExactPluses).join('&') : text
  return querystring.parse(exact, '&', '=', { maxKeys: 0 }) as Record<string, string | string[]>
}

function withExactPluses(part: string): string {
  const [name = '', ...rest] = part.split('=')
  const value = rest.join('=')
  const parameter = querystring.unescape(name).toLowerCase()
  if (wordParameters.has(parameter) && !value.includes('%20')) return part
  // Microsoft joins the words of a filter by pluses, and writes blanks in its texts as %20.
  if (parameter === 'filter') return part.replaceAll(quoted, withPlus)
  return withPlus(part)
}

/** A text in the quotes of a filter, in which a backslash stands before quotes. */
const quoted = /(?:"|%22)(?:(?:\\|%5c)(?:"|%22|.)|(?!"|%22).)*(?:"|%22|$)/gi

function withPlus(text: string): string {
  return text.replaceAll('+', '%2B')
}

/** Writes a query, with blanks as `%20`, so that every reader finds the same values. Undefined members are left out. */
export function encodeQuery(parameters: object): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => [value].flat().map((one: unknown) => [name, one] as const))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .join('&')
}
