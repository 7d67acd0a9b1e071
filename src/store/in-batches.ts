/** More rows than the requests of a minute add, with any usual rate limit. */
const mostBatches = 20

/** Repeats a deletion that is limited to a batch of rows until it finds none, within reason. Returns how many rows it deleted. */
export async function inBatches(deleteSome: () => Promise<number>): Promise<number> {
  let deleted = 0
  for (let batch = 0; batch < mostBatches; batch++) {
    const some = await deleteSome()
    if (some === 0) break
    deleted += some
  }
  return deleted
}
