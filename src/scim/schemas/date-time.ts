/** `xsd:dateTime` as RFC 7643 §2.3.5 wants it. A time without a zone counts as UTC. */
const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/

/** Returns epoch milliseconds, or undefined for a text that is not a time. */
export function readDateTime(text: string): number | undefined {
  const found = form.exec(text)
  if (found === null) return undefined
  const ms = Date.parse(found[1] === undefined ? `${text}Z` : text)
  return Number.isNaN(ms) ? undefined : ms
}
