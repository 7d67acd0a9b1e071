import { randomFillSync } from 'node:crypto'

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * A maker of UUIDv7 (RFC 9562 §5.7) whose values only ever grow, also within a millisecond and when the clock steps
 * back: the 12 bits of `rand_a` count (§6.2, method 1), and a full count borrows the next millisecond.
 *
 * @param after the greatest id handed out so far by an earlier process, so that a clock set back cannot reuse its range
 */
export function uuidv7Maker(after?: string): (nowMs: number) => string {
  let lastMs = after === undefined ? 0 : Number.parseInt(after.slice(0, 8) + after.slice(9, 13), 16)
  let count = after === undefined ? 0 : Number.parseInt(after.slice(15, 18), 16)
  const random = new Uint8Array(10)
  return (nowMs) => {
    randomFillSync(random)
    if (nowMs > lastMs) {
      lastMs = nowMs
      // Start in the lower half, so that a busy millisecond has at least 2,048 values before it borrows the next.
      count = (((random[0] as number) & 0x07) << 8) | (random[1] as number)
    } else if (++count > 0xfff) {
      lastMs++
      count = 0
    }
    const ms = lastMs.toString(16).padStart(12, '0')
    const tail = [...random.subarray(4)].map((byte) => hex[byte]).join('')
    const variant = hex[((random[2] as number) & 0x3f) | 0x80]
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7${count.toString(16).padStart(3, '0')}-${variant}${hex[random[3] as number]}-${tail}`
  }
}

/** Whether a text has the form of a UUID, of any version, in lower case as we store it. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}
