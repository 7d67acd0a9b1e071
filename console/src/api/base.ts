/** Addresses. The server writes a <base> that works under any prefix. */

/** The path of the console, with a trailing slash. */
export const consoleBase = new URL('.', document.baseURI).pathname
/** The URL of the API, without a trailing slash. */
export const apiUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** Returns the address of a path below the prefix: `docs`, `login`. */
export function placeOf(path: string): string {
  return `${apiUrl}/${path}`
}
