type ReturnOrigins = {
  /** Where the page itself lives, `https://example.com`. */
  origin: string
  /** Further origins that people may be sent to. */
  allowed: readonly string[]
}

/** Longer targets do not fit into the headers of some proxies. */
const lengthLimit = 2048
const decodings = 3

/**
 * Returns where to send a user after sign-in, in a form that every parser reads the same way. Undefined unless it leads to
 * our own origin or an allowed one: with an open redirect, an attacker could build a link that starts at our sign-in page
 * and ends on their own.
 *
 * A path stays a path, so it works under any host name that the browser uses for us.
 */
export function returnTo(text: unknown, { origin, allowed }: ReturnOrigins): string | undefined {
  // A URL parser drops tabs and line breaks, cuts blanks and turns `\` into `/`. Only an attacker writes that, to hide `//`.
  if (typeof text !== 'string' || text.length > lengthLimit || /[\s\\\p{C}]/u.test(text)) return undefined
  const isPath = /^\/(?!\/)/.test(text)
  if (!isPath && !/^https?:\/\/[^/]/i.test(text)) return undefined
  if (!URL.canParse(text, origin)) return undefined
  const url = new URL(text, origin)
  if (url.origin !== origin && !allowed.includes(url.origin)) return undefined
  if (url.username !== '' || url.password !== '' || isAmbiguous(url.pathname)) return undefined
  const destination = isPath ? url.pathname + url.search + url.hash : url.href
  return destination.length > lengthLimit ? undefined : destination
}

/**
 * Whether a path is, or becomes when it is decoded again on its way, the beginning of another host (`//host`, also
 * written `/.//host`), or breaks a header. A path that is not UTF-8 may be read in any way.
 */
function isAmbiguous(pathname: string): boolean {
  if (!isDecodable(pathname)) return true
  let path = pathname
  for (let round = 0; round <= decodings; round++) {
    if (/^\/\/|[\\\p{Cc}]/u.test(path)) return true
    const decoded = path.replaceAll(/%([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (decoded === path) return false
    path = withoutDots(decoded)
  }
  return true // No honest client encodes that often.
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** RFC 3986 §5.2.4. */
function withoutDots(path: string): string {
  const segments: string[] = []
  for (const segment of path.split('/').slice(1)) {
    if (segment === '..') segments.pop()
    else if (segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}
