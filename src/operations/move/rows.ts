/**
 * Rows as bytes, the same for both engines: the tuples of PostgreSQL's binary COPY format
 * (https://www.postgresql.org/docs/current/sql-copy.html). These bytes are copied, compared and hashed.
 */

/** How a value is encoded: text in UTF-8, integers in 4 or 8 bytes, or raw bytes. */
export type Kind = 'text' | 'int4' | 'int8' | 'bytea'
export type Column = { name: string; kind: Kind }
export type Value = string | number | bigint | Uint8Array | null
export type Batch = { rows: number; bytes: Buffer /** The key of the last row. */; last: Key | undefined }
export type Key = readonly Value[]

const nothing = -1

/** Collects rows in buffers that grow as needed and are reused, so memory is independent of the number of rows. */
export class RowWriter {
  #buffer = Buffer.allocUnsafe(1 << 20)
  #other = Buffer.allocUnsafe(1 << 20)
  #length = 0

  write(columns: readonly Column[], row: readonly Value[]): void {
    this.#reserve(2)
    this.#length = this.#buffer.writeInt16BE(columns.length, this.#length)
    for (const [i, { kind }] of columns.entries()) this.#writeValue(kind, row[i] ?? null)
  }

  /** Adds bytes that already encode rows. */
  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Returns everything since the last call; it stays unchanged until the call after the next one. */
  drain(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#length)
    ;[this.#buffer, this.#other] = [this.#other, this.#buffer]
    this.#length = 0
    return bytes
  }

  #writeValue(kind: Kind, value: Value): void {
    if (value === null) {
      this.#reserve(4)
      this.#length = this.#buffer.writeInt32BE(nothing, this.#length)
      return
    }
    switch (kind) {
      case 'text': {
        const text = value as string
        this.#reserve(4 + text.length * 3)
        const size = this.#buffer.write(text, this.#length + 4)
        this.#buffer.writeInt32BE(size, this.#length)
        this.#length += 4 + size
        return
      }
      case 'bytea': {
        const bytes = value as Uint8Array
        this.#reserve(4)
        this.#length = this.#buffer.writeInt32BE(bytes.length, this.#length)
        this.append(bytes)
        return
      }
      case 'int4':
        this.#reserve(8)
        this.#length = this.#buffer.writeInt32BE(4, this.#length)
        this.#length = this.#buffer.writeInt32BE(Number(value), this.#length)
        return
      case 'int8':
        this.#reserve(12)
        this.#length = this.#buffer.writeInt32BE(8, this.#length)
        this.#length = this.#buffer.writeBigInt64BE(BigInt(value as number | bigint), this.#length)
    }
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + size))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

/** Iterates over the rows in the bytes. */
export function* readRows(columns: readonly Column[], bytes: Buffer): Generator<Value[]> {
  for (let at = 0; at < bytes.length; ) {
    if (bytes.readInt16BE(at) !== columns.length) throw new Error('A row has an unexpected number of columns.')
    at += 2
    const row: Value[] = []
    for (const { kind } of columns) {
      const size = bytes.readInt32BE(at)
      at += 4
      if (size === nothing) row.push(null)
      else {
        row.push(readValue(kind, bytes, at, size))
        at += size
      }
    }
    yield row
  }
}

function readValue(kind: Kind, bytes: Buffer, at: number, size: number): Value {
  switch (kind) {
    case 'text':
      return bytes.toString('utf8', at, at + size)
    case 'bytea':
      return bytes.subarray(at, at + size)
    case 'int4':
      return bytes.readInt32BE(at)
    case 'int8':
      return bytes.readBigInt64BE(at)
  }
}

/** Returns where the row that starts at `at` ends. */
function endOfRow(bytes: Buffer, at: number): number {
  const columns = bytes.readInt16BE(at)
  let end = at + 2
  for (let i = 0; i < columns; i++) {
    const size = bytes.readInt32BE(end)
    end += size === nothing ? 4 : 4 + size
  }
  return end
}

/** Counts the rows and finds the key of the last one; the key's columns come first. */
export function batchOf(columns: readonly Column[], keyLength: number, bytes: Buffer): Batch {
  let rows = 0
  let start = 0
  for (let at = 0; at < bytes.length; at = endOfRow(bytes, at)) {
    rows++
    start = at
  }
  if (rows === 0) return { rows, bytes, last: undefined }
  const { value } = readRows(columns, bytes.subarray(start)).next()
  return { rows, bytes, last: (value as Value[]).slice(0, keyLength) }
}
