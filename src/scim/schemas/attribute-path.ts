/** Attribute paths in filters, PATCH and `attributes`: `name.givenName`, `urn:…:User:department` (RFC 7644 §3.10). */

export interface AttributePath {
  /** The schema, as it was written. */
  readonly urn?: string
  readonly name: string
  readonly sub?: string
}

/** A name of RFC 7643 §2.1, or `$ref`. */
const names = /^(\$?[A-Za-z][\w-]*)(?:\.(\$?[A-Za-z][\w-]*))?$/

/** Returns undefined if the text is not an attribute path. */
export function readAttributePath(text: string): AttributePath | undefined {
  // The version in a URN contains a dot, so the names start after the last colon.
  const colon = text.lastIndexOf(':')
  const [, name, sub] = names.exec(text.slice(colon + 1)) ?? []
  if (name === undefined) return undefined
  const urn = text.slice(0, Math.max(colon, 0))
  if (colon >= 0 && !/^urn:[^\s"()[\]]+$/i.test(urn)) return undefined
  return { ...(colon >= 0 && { urn }), name, ...(sub !== undefined && { sub }) }
}

export function writeAttributePath({ urn, name, sub }: AttributePath): string {
  return `${urn === undefined ? '' : `${urn}:`}${name}${sub === undefined ? '' : `.${sub}`}`
}
