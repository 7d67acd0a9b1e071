/** Reads what is new once for all who follow it, and nothing while nobody does. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Announcement } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'

export const pageSize = 1000
const retryMs = 250

export type Numbered = { seq: number }

export type RowSource<Row extends Numbered> = {
  /** In messages: `the revocations`. */
  name: string
  readAfter(seq: number, limit: number): Promise<Row[]>
  /** The number of the newest row ever. */
  findNewestSeq(): Promise<number>
  /** Whether there may be new rows. */
  isNews(event: Announcement): boolean
}

export type Follower<Row extends Numbered> = {
  /** All rows, in their order; after a start further back some of them again. */
  take(rows: readonly Row[]): void
  /** A failover has lost commits, and their numbers are given anew. */
  lose(): void
}

export type SharedReader<Row extends Numbered> = {
  /** Those who follow were given everything up to this number; undefined: nobody follows. */
  cursor(): number | undefined
  /** From the cursor on; when nobody follows yet, from behind `seq`. What came meanwhile takes a `readNews`. */
  attach(follower: Follower<Row>, seq: number): void
  detach(follower: Follower<Row>): void
  /** False: it could not be read, and is tried again. */
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

  /** Another wish meanwhile is another reading. */
  function readNews(): Promise<boolean> {
    isWanted = true
    reading ??= readWhileWanted().finally(() => {
      reading = undefined
    })
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
      // Nobody may announce it again: what was not read now would stay unheard.
      if (!isRetrying) setTimeout(tryAgain, retryMs).unref()
      isRetrying = true
      if (!isFailing) log.warn({ err }, `cannot read ${source.name} for the clients that follow them`)
      isFailing = true
      return false
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
      // All may have left meanwhile, and others come who begin elsewhere.
      if (cursor !== from) continue
      // News, and no greater number: it may be that numbers are given anew.
      if (rows.length === 0) return loseIfNumbersWentBack()
      cursor = rows.at(-1)?.seq
      for (const follower of followers) follower.take(rows)
      if (rows.length < pageSize) return
      await nextTurn()
    }
  }

  async function loseIfNumbersWentBack(): Promise<void> {
    if (cursor === undefined || (await source.findNewestSeq()) >= cursor) return
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
