/** Gathers bytes into blocks of one size, which leave while more bytes come. */
export function fullBlocks(size: number) {
  const full: Buffer[] = []
  let block = Buffer.allocUnsafeSlow(size)
  let used = 0
  let wake = () => {}

  return {
    /** Copies the bytes from `start` to `end`. */
    add(bytes: Buffer, start: number, end: number): void {
      for (let at = start; at < end; ) {
        const next = Math.min(end, at + size - used)
        used += bytes.copy(block, used, at, next)
        at = next
        if (used < size) continue
        full.push(block)
        block = Buffer.allocUnsafeSlow(size)
        used = 0
        wake()
      }
    },

    /** Returns the full blocks until the source that adds bytes has ended. @throws the source's error */
    async *until(source: Promise<void>): AsyncGenerator<Buffer> {
      let isFinished = false
      const end = () => {
        isFinished = true
        wake()
      }
      source.then(end, end)
      while (!isFinished || full.length > 0) {
        const next = full.shift()
        if (next !== undefined) yield next
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
      await source
    },

    /** Returns what has not filled a block. */
    rest: () => block.subarray(0, used),
  }
}
