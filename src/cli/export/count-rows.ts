/** Counts the users in a list while it passes, without reading what it says of them. */
export type RowCounter = {
  add(bytes: Uint8Array): void
  readonly count: number
  /** Whether the text is at an end that it could have. */
  isWhole(): boolean
}

/** Each user begins so. Within a text of JSON a quote has a backslash before it, so that this stands nowhere else. */
const opening = Buffer.from('{"user_id":"')
const lineFeed = 0x0a

export function rowCounter(format: 'ndjson' | 'json' | 'csv'): RowCounter {
  if (format === 'json') return openingCounter()
  let lines = 0
  let last: number | undefined
  return {
    add(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) lines++
      last = bytes.at(-1) ?? last
    },
    get count() {
      // No text of a user has a line feed. The first line of CSV names the members.
      return format === 'csv' ? Math.max(0, lines - 1) : lines
    },
    isWhole: () => last === undefined || last === lineFeed,
  }
}

function openingCounter(): RowCounter {
  let count = 0
  let rest: Buffer = Buffer.alloc(0)
  return {
    add(chunk) {
      const bytes = Buffer.concat([rest, chunk])
      for (let at = bytes.indexOf(opening); at >= 0; at = bytes.indexOf(opening, at + 1)) count++
      // What could be the beginning of one; a whole one would be counted twice.
      rest = bytes.subarray(Math.max(0, bytes.length - opening.length + 1))
    },
    get count() {
      return count
    },
    isWhole: () => rest.at(-1) === ']'.charCodeAt(0),
  }
}
