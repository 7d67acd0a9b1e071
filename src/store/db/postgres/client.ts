/**
 * A client that hands over rows as the bytes that the server sent. pg turns every column into a text before a query sees it, and
 * copies what it reads to find where rows end (docs/decisions/speed.md, 0133).
 */
import { EventEmitter } from 'node:events'
import pg from 'pg'

/** A row of a result or of a COPY. Its bytes are valid until the query has taken it. */
export class Row {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes
    this.start = start
    this.end = end
  }

  /** The columns of a result as pg's own queries read them. */
  get fields(): (string | null)[] {
    const { bytes, start } = this
    const fields = new Array<string | null>(bytes.readUInt16BE(start))
    let at = start + countBytes
    for (let n = 0; n < fields.length; n++) {
      const length = bytes.readInt32BE(at)
      at += lengthBytes
      fields[n] = length < 0 ? null : bytes.toString('utf8', at, at + length)
      at += Math.max(0, length)
    }
    return fields
  }

  /** The same for a COPY. */
  get chunk(): Buffer {
    return this.bytes.subarray(this.start, this.end)
  }
}

/** A row starts with the number of its columns, each column with its length. */
export const [countBytes, lengthBytes] = [2, 4]

/** A message starts with its code and the length of the rest, which includes the four bytes of that number. */
const [codeBytes, headBytes] = [1, 5]
const eventOf = new Map([
  ['D'.charCodeAt(0), 'dataRow'],
  ['d'.charCodeAt(0), 'copyData'],
])

/** The part of pg's connection that reads from the socket; pg's types lack it. */
type Reading = new (config: pg.ClientConfig) => pg.Connection & { attachListeners(source: EventEmitter): void }

class RowConnection extends (pg.Connection as unknown as Reading) {
  override attachListeners(source: EventEmitter): void {
    const others = new EventEmitter()
    super.attachListeners(others)
    const emitRow = (event: string, row: Row) => this.emit(event, row)
    const emitOthers = (messages: Buffer) => others.emit('data', messages)
    source.on('data', splitMessages(emitRow, emitOthers))
    source.on('end', () => others.emit('end'))
  }
}

export class Client extends pg.Client {
  constructor(options: pg.ClientConfig = {}) {
    super({ ...options, connection: new RowConnection(options) } as pg.ClientConfig)
  }
}

/** Returns a function that takes what arrives, in pieces of any size, and passes on its rows and its other messages in order. */
export function splitMessages(
  emitRow: (event: string, row: Row) => void,
  emitOthers: (messages: Buffer) => void,
): (piece: Buffer) => void {
  /** The beginning of a message, and how many bytes are missing until its end, or until its length is known. */
  let begun: Buffer[] = []
  let missing = 0

  /** Returns where the first incomplete message starts. */
  function pass(bytes: Buffer): number {
    let at = 0
    let passed = 0
    while (at + headBytes <= bytes.length) {
      const end = at + codeBytes + bytes.readUInt32BE(at + codeBytes)
      if (end > bytes.length) break
      const event = eventOf.get(bytes[at] as number)
      if (event !== undefined) {
        if (passed < at) emitOthers(bytes.subarray(passed, at))
        emitRow(event, new Row(bytes, at + headBytes, end))
        passed = end
      }
      at = end
    }
    if (passed < at) emitOthers(bytes.subarray(passed, at))
    return at
  }

  function startMessage(rest: Buffer): void {
    begun = rest.length > 0 ? [rest] : []
    missing = (rest.length < headBytes ? headBytes : codeBytes + rest.readUInt32BE(codeBytes)) - rest.length
  }

  return (piece) => {
    let at = 0
    while (begun.length > 0) {
      const part = piece.subarray(at, at + missing)
      at += part.length
      missing -= part.length
      begun.push(part)
      if (missing > 0) return
      const joined = Buffer.concat(begun)
      startMessage(joined.subarray(pass(joined)))
    }
    const rest = at === 0 ? piece : piece.subarray(at)
    startMessage(rest.subarray(pass(rest)))
  }
}
