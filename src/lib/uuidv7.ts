import { randomUUID } from 'node:crypto'

/**
 * Creates a generator of UUIDv7 (RFC 9562 §5.7) whose values always increase, even within a millisecond and when the
 * clock steps back: the 12 bits of `rand_a` count (§6.2, method 1), and a full count borrows the next millisecond.
 *
 * @param after the greatest id handed out so far by an earlier process, so that a clock set back cannot reuse its range
 */
export function uuidv7Maker(after?: string): (nowMs: number) => string {
  let lastMs = after === undefined ? 0 : Number.parseInt(after.slice(0, 8) + after.slice(9, 13), 16)
  let count = after === undefined ? 0 : Number.parseInt(after.slice(15, 18), 16)
  return (nowMs) => {
    // The last two groups of a UUIDv4 are the variant and 62 random bits, like ours; Node draws them from a pool.
    const random = randomUUID()
    if (nowMs > lastMs) {
      lastMs = nowMs
      // Start in the lower half, so that a busy millisecond has at least 2,048 values before it borrows the next.
      count = Number.parseInt(random.slice(0, 3), 16) >> 1
    } else if (++count > 0xfff) {
      lastMs++
      count = 0
    }
    const ms = lastMs.toString(16).padStart(12, '0')
    return `${ms.slice(0, 8)}-${ms.slice(8)}-7${count.toString(16).padStart(3, '0')}-${random.slice(19)}`
  }
}

/** Returns an id greater than any UUIDv7 made within an hour of this instant, so that clock skew between nodes does not matter. */
export function greatestId(nowMs: number): string {
  const ms = (nowMs + 3_600_000).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-8`
}

/** Whether a text has the form of a UUID, of any version, in lower case as we store it. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)
}

/** Returns when a UUIDv7 was made, in milliseconds; undefined for another version, whose id does not say. */
export function instantIn(id: string): number | undefined {
  return id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined
}
