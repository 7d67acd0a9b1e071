/** Counts the users in an export as its bytes arrive, to show progress and detect a cut. */

export type ExportFormat = 'csv' | 'ndjson' | 'json'
export type RowCounter = { add(bytes: Uint8Array): void; readonly rows: number; readonly isWhole: boolean }

const [lineFeed, quote, backslash, open, close, end] = [0x0a, 0x22, 0x5c, 0x7b, 0x7d, 0x5d]

export function rowCounter(format: ExportFormat): RowCounter {
  return format === 'json' ? objectCounter() : lineCounter(format === 'csv')
}

/** A line break within quotes does not end a row. NDJSON has none. */
function lineCounter(hasHeader: boolean): RowCounter {
  let lines = 0
  let isQuoted = false
  let last = lineFeed
  return {
    add(bytes) {
      for (const byte of bytes) {
        if (hasHeader && byte === quote) isQuoted = !isQuoted
        else if (byte === lineFeed && !isQuoted) lines += 1
      }
      last = bytes.at(-1) ?? last
    },
    get rows() {
      return hasHeader ? Math.max(0, lines - 1) : lines
    },
    get isWhole() {
      return last === lineFeed && (!hasHeader || lines > 0)
    },
  }
}

/** Counts the elements of an array of objects. */
function objectCounter(): RowCounter {
  let rows = 0
  let depth = 0
  let isText = false
  let isEscaped = false
  let last = 0
  return {
    add(bytes) {
      for (const byte of bytes) {
        if (isText) {
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) isText = false
        } else if (byte === quote) isText = true
        else if (byte === open) depth += 1
        else if (byte === close) {
          depth -= 1
          if (depth === 0) rows += 1
        }
      }
      last = bytes.at(-1) ?? last
    },
    get rows() {
      return rows
    },
    get isWhole() {
      return last === end && depth === 0
    },
  }
}
