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

/** @param total of users in an Excel file, whose rows are compressed: they are counted when it is whole */
export function rowCounter(format: 'ndjson' | 'json' | 'csv' | 'xlsx', total = 0): RowCounter {
  if (format === 'json') return openingCounter()
  if (format === 'xlsx') return zipCounter(total)
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

/** A ZIP file ends with a record of 22 bytes that begins so. */
const [endOfZip, endLength] = [Buffer.from('PK\x05\x06', 'latin1'), 22]

function zipCounter(total: number): RowCounter {
  let rest: Buffer = Buffer.alloc(0)
  const isWhole = () => rest.subarray(0, endOfZip.length).equals(endOfZip)
  return {
    add(chunk) {
      rest = Buffer.from(Buffer.concat([rest, chunk]).subarray(-endLength))
    },
    get count() {
      return isWhole() ? total : 0
    },
    isWhole,
  }
}
