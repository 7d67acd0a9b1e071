const [lineFeed, carriageReturn] = [0x0a, 0x0d]

/**
 * Knows the line on which each record of a text begins, from where the records end. Counts as editors do: CRLF, LF and CR
 * end a line, also between quotes, and blank lines count.
 */
export class LineCount {
  /** Where line breaks begin and end, of those that are not passed yet. */
  #begins: number[] = []
  #ends: number[] = []
  #next = 0
  /** How many bytes have gone through, and whether the last was a carriage return. */
  #seen = 0
  #hasReturn = false
  /** The place up to which lines are counted, and how many breaks are before it. */
  #at = 0
  #finished = 0

  /** Passes a text on, as bytes, and notes its line breaks. */
  async *over(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
    for await (const piece of text) {
      const bytes = Buffer.from(piece)
      this.#note(bytes)
      yield bytes
    }
  }

  #note(bytes: Buffer): void {
    this.#begins.splice(0, this.#next)
    this.#ends.splice(0, this.#next)
    this.#next = 0
    for (let n = 0; n < bytes.length; n++) {
      const byte = bytes[n]
      if (byte === lineFeed && this.#hasReturn && this.#ends.length > 0)
        this.#ends[this.#ends.length - 1] = this.#seen + n + 1
      else if (byte === lineFeed || byte === carriageReturn) {
        this.#begins.push(this.#seen + n)
        this.#ends.push(this.#seen + n + 1)
      }
      this.#hasReturn = byte === carriageReturn
    }
    this.#seen += bytes.length
  }

  /** The line on which the next record begins, from 1. Records come in their order. */
  here(): number {
    while (this.#begins[this.#next] === this.#at) this.#pass()
    return this.#finished + 1
  }

  /** As `here`, and passes the record, which ends before this byte. */
  next(end: number): number {
    const line = this.here()
    while ((this.#begins[this.#next] ?? end) < end) this.#pass()
    this.#at = Math.max(this.#at, end)
    return line
  }

  /** How many lines have ended. */
  finished(): number {
    return this.#finished
  }

  #pass(): void {
    this.#at = this.#ends[this.#next] as number
    this.#finished++
    this.#next++
  }
}
