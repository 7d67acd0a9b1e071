/** Refuses paths that the product could read differently from the router that checked them. */
import { AppError } from '../../../core/errors.ts'

/** A program that decodes twice is bad enough. */
const decodingRounds = 4

/**
 * Refuses a path that would reach the product as another one, or that a lenient product could read as one of ours because
 * it decodes twice, ignores case, cuts off `;parameters`, or treats a backslash as a slash.
 */
export function refuseAmbiguousPath(url: string, basePath: string): void {
  const path = url.split('?', 1)[0] as string
  if (url.includes('#') || !isForwardedAsSent(path)) throw refusal()
  const read = fullyDecoded(path)
  if (read === undefined || /[\\\0]/.test(read)) throw refusal()
  const segments = read.split('/').map(leniently)
  if (segments.includes('.') || segments.includes('..')) throw refusal()
  const named = segments.filter((segment) => segment !== '')
  if (
    basePath
      .toLowerCase()
      .slice(1)
      .split('/')
      .every((own, i) => named[i] === own)
  )
    throw refusal()
}

/** The proxy plugin builds a URL from the path, which resolves dot segments, converts backslashes and encodes. */
function isForwardedAsSent(path: string): boolean {
  return URL.canParse(path, 'http://product') && new URL(path, 'http://product').href === `http://product${path}`
}

/** Undefined if it cannot be decoded, or never ends. Bytes become characters: only ASCII matters here. */
function fullyDecoded(path: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(path)) return undefined
  let read = path
  for (let round = 0; round < decodingRounds; round++) {
    const next = read.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === read) return read
    read = next
  }
  return undefined
}

/** URL parsers drop tabs and line breaks, servers cut `;parameters`, Windows trims blanks and dots at the end of a name. */
function leniently(segment: string): string {
  const name = segment
    .replaceAll(/\p{Cc}|;.*/gsu, '')
    .trim()
    .toLowerCase()
  return /^\.{1,2}$/.test(name) ? name : name.replace(/[. ]+$/, '')
}

function refusal(): AppError {
  return new AppError(
    'malformed_request',
    'The path was not forwarded because the product could read it as a different path. Send it without dot segments, backslashes and characters that must be percent-encoded.',
  )
}
