/** Counts the users in a stream without parsing them. */
export type RowCounter = {
  add(bytes: Uint8Array): void
  readonly count: number
  /** Whether the data so far could be complete. */
  isWhole(): boolean
}

/** The start of each user. Inside a JSON string the quotes would be escaped, so it occurs nowhere else. */
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
      // Values of users contain no line feed. The first line of CSV names the members.
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
      // Keep a possible start of a user, but not a complete one, which would be counted twice.
      rest = bytes.subarray(Math.max(0, bytes.length - opening.length + 1))
    },
    get count() {
      return count
    },
    isWhole: () => rest.at(-1) === ']'.charCodeAt(0),
  }
}
