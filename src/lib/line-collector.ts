const lineFeed = 0x0a

/** `bytes`: the line without its line feed; undefined for one that is too long, which is not collected. `line`: from 1. */
export type Line = { bytes: Buffer | undefined; line: number }

/** Assembles lines from chunks. Skips empty ones at once: there may be millions of them. */
export function lineCollector(longestBytes: number) {
  let begun: Buffer[] = []
  let size = 0
  let line = 1
  const finish = (rest: Buffer): Buffer | undefined => {
    const whole =
      size + rest.length > longestBytes ? undefined : begun.length === 0 ? rest : Buffer.concat([...begun, rest])
    begun = []
    size = 0
    return whole
  }
  return {
    add(piece: Uint8Array): Line[] {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
      const lines: Line[] = []
      let start = 0
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
        if (size > 0 || end > start) lines.push({ bytes: finish(bytes.subarray(start, end)), line })
        line++
        start = end + 1
        for (; bytes[start] === lineFeed && size === 0; start++) line++
      }
      size += bytes.length - start
      if (size <= longestBytes) begun.push(bytes.subarray(start))
      else begun = []
      return lines
    },
    /** The line that has begun, if it is too long already. */
    tooLong: (): number | undefined => (size > longestBytes ? line : undefined),
    end: (): Line[] => (size === 0 ? [] : [{ bytes: finish(Buffer.alloc(0)), line }]),
  }
}
