/** Where things are: the server writes a <base> that holds under any prefix. */

/** The path of the console, with a slash at its end. */
export const consoleBase = new URL('.', document.baseURI).pathname
/** The URL of the API, without a slash at its end. */
export const apiUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')

/** A path below the prefix as an address: `docs`, `login`. */
export function placeOf(path: string): string {
  return `${apiUrl}/${path}`
}
