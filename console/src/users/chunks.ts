/** Arithmetic of the parts in which the list is read. */

/** Rows of a chunk; also of a page, so that both are read alike. */
export const chunkSize = 50

export function chunkOf(row: number): number {
  return Math.floor(row / chunkSize)
}

/** Those to forget, when there are so many too many: the farthest first. */
export function farthestChunks<T extends { distance: number }>(unused: readonly T[], tooMany: number): T[] {
  if (tooMany <= 0) return []
  return unused.toSorted((a, b) => b.distance - a.distance).slice(0, tooMany)
}

/** Of two neighbours that both show the same user, the one that was read first; undefined when there are none. */
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
