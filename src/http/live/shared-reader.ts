/** Reads new rows once for all followers, and nothing without followers. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Announcement } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'

export const pageSize = 1000
const retryMs = 250

export type Numbered = { seq: number }

export type RowSource<Row extends Numbered> = {
  /** For messages: `the revocations`. */
  name: string
  readAfter(seq: number, limit: number): Promise<Row[]>
  /** The number of the newest row. */
  findNewestSeq(): Promise<number>
  /** Whether there may be new rows. */
  isNews(event: Announcement): boolean
}

export type Follower<Row extends Numbered> = {
  /** All rows in order; after a restart further back, some of them again. */
  onRows(rows: readonly Row[]): void
  /** A failover lost commits, and their numbers are reused. */
  lose(): void
}

export type SharedReader<Row extends Numbered> = {
  /** The followers have received everything up to this number. Undefined without followers. */
  cursor(): number | undefined
  /** Reads from the cursor on; without followers, from after `seq`. `readNews` reads what came in the meantime. */
  attach(follower: Follower<Row>, seq: number): void
  detach(follower: Follower<Row>): void
  /** False if the read failed; it is retried. */
  readNews(): Promise<boolean>
}

export function createSharedReader<Row extends Numbered>(
  { storage, log }: { storage: Storage; log: Logger },
  source: RowSource<Row>,
): SharedReader<Row> {
  const followers = new Set<Follower<Row>>()
  let cursor: number | undefined
  let reading: Promise<boolean> | undefined
  let isWanted = false
  let isRetrying = false
  let isFailing = false

  /** A request during a read causes another read. */
  function readNews(): Promise<boolean> {
    isWanted = true
    reading ??= readWhileWanted()
    return reading
  }

  async function readWhileWanted(): Promise<boolean> {
    try {
      while (isWanted) {
        isWanted = false
        await readOnce()
      }
      isFailing = false
      return true
    } catch (err) {
      // It may not be announced again: what is not read now would be missed.
      if (!isRetrying) setTimeout(tryAgain, retryMs).unref()
      isRetrying = true
      if (!isFailing) log.warn({ err }, `cannot read ${source.name} for the clients that follow them`)
      isFailing = true
      return false
    } finally {
      // In the same step as the last look at `isWanted`, or news that arrives in between is lost.
      reading = undefined
    }
  }

  function tryAgain(): void {
    isRetrying = false
    void readNews()
  }

  async function readOnce(): Promise<void> {
    while (cursor !== undefined) {
      const from = cursor
      const rows = await source.readAfter(from, pageSize)
      // All may have left in the meantime, and others come that start elsewhere.
      if (cursor !== from) continue
      // News without a greater number: numbers may have been reused.
      if (rows.length === 0) return loseIfNumbersWentBack()
      cursor = rows.at(-1)?.seq
      for (const follower of followers) follower.onRows(rows)
      if (rows.length < pageSize) return
      await nextTurn()
    }
  }

  async function loseIfNumbersWentBack(): Promise<void> {
    const reached = cursor
    // Compared with the cursor from before the query: another read may have advanced it since.
    if (reached === undefined || (await source.findNewestSeq()) >= reached) return
    for (const follower of [...followers]) follower.lose()
  }

  storage.onAnnouncement((event) => {
    if (cursor === undefined) return
    if (event.kind === 'forget') {
      loseIfNumbersWentBack().catch((err) => log.warn({ err }, `${source.name} cannot be read`))
    }
    if (source.isNews(event)) void readNews()
  })

  return {
    cursor: () => cursor,
    attach(follower, seq) {
      cursor ??= seq
      followers.add(follower)
    },
    detach(follower) {
      followers.delete(follower)
      if (followers.size === 0) cursor = undefined
    },
    readNews,
  }
}
