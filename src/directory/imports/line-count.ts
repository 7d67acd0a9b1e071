const [lineFeed, carriageReturn] = [0x0a, 0x0d]

/**
 * Knows on which line each record of a text starts, given where the records end. Counts like an editor: CRLF, LF and CR
 * end a line, also inside quotes, and blank lines count.
 */
export class LineCount {
  /** The positions of line breaks that are not passed yet. */
  #begins: number[] = []
  #ends: number[] = []
  #next = 0
  /** How many bytes were seen, and whether the last was a carriage return. */
  #seen = 0
  #hasReturn = false
  /** The position up to which lines are counted, and the number of breaks before it. */
  #at = 0
  #finished = 0

  /** Passes on a text as bytes, and records its line breaks. */
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

  /** Returns the line on which the next record starts, from 1. Call it in record order. */
  here(): number {
    while (this.#begins[this.#next] === this.#at) this.#pass()
    return this.#finished + 1
  }

  /** Like `here`, and skips the record, which ends before this byte. */
  next(end: number): number {
    const line = this.here()
    while ((this.#begins[this.#next] ?? end) < end) this.#pass()
    this.#at = Math.max(this.#at, end)
    return line
  }

  /** Returns how many lines have ended. */
  finished(): number {
    return this.#finished
  }

  #pass(): void {
    this.#at = this.#ends[this.#next] as number
    this.#finished++
    this.#next++
  }
}
