/** Addresses. The server writes a <base> that works under any prefix. */

/** The path of the console, with a trailing slash. */
export const consoleBase = new URL('.', document.baseURI).pathname
/** The URL of the API, without a trailing slash. */
export const apiUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** Returns the address of a path below the prefix: `docs`, `login`. */
export function placeOf(path: string): string {
  return `${apiUrl}/${path}`
}

/** Returns the address of a page outside the console that comes back to where the viewer is now. */
export function placeAndBack(path: string): string {
  return `${placeOf(path)}?return_to=${encodeURIComponent(location.pathname + location.search)}`
}
