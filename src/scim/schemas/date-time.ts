import { isInstant } from '../../lib/instant.ts'

/** `xsd:dateTime` as RFC 7643 §2.3.5 requires it. A time without a zone is UTC. */
const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/

/** Returns epoch milliseconds. Undefined if the text is not a time. */
export function readDateTime(text: string): number | undefined {
  const found = form.exec(text)
  // Date turns 30 February into March, but that day does not exist.
  if (found === null || !isInstant(`${text.slice(0, 10)}T00:00:00Z`)) return undefined
  const ms = Date.parse(found[1] === undefined ? `${text}Z` : text)
  return Number.isNaN(ms) ? undefined : ms
}
