/** The chunks in which the list is read. */

/** Rows in a chunk, and in a page. */
export const chunkSize = 50

export function chunkOf(row: number): number {
  return Math.floor(row / chunkSize)
}

/** Returns the `tooMany` chunks that are farthest away, to be dropped. */
export function farthestChunks<T extends { distance: number }>(unused: readonly T[], tooMany: number): T[] {
  if (tooMany <= 0) return []
  return unused.toSorted((a, b) => b.distance - a.distance).slice(0, tooMany)
}

/** Returns the older of two neighbouring chunks that both hold the same user; undefined if none do. */
export function findOverlap(
  chunks: ReadonlyMap<number, { users: readonly { user_id: string }[] }>,
  readAt: (chunk: number) => number,
): number | undefined {
  for (const [chunk, { users }] of chunks) {
    const next = chunks.get(chunk + 1)
    if (next === undefined) continue
    const ids = new Set(users.map(({ user_id }) => user_id))
    if (next.users.some(({ user_id }) => ids.has(user_id))) return readAt(chunk) < readAt(chunk + 1) ? chunk : chunk + 1
  }
  return undefined
}
