/** `xsd:dateTime` as RFC 7643 §2.3.5 requires it. A time without a zone is UTC. */
const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/

/** Returns epoch milliseconds. Undefined if the text is not a time. */
export function readDateTime(text: string): number | undefined {
  const found = form.exec(text)
  if (found === null) return undefined
  const ms = Date.parse(found[1] === undefined ? `${text}Z` : text)
  return Number.isNaN(ms) ? undefined : ms
}
