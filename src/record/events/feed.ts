/** The live feed: each event as soon as it is committed, otherwise heartbeats. */
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { createLiveFeed } from '../../http/live/live-feed.ts'
import { createSharedReader, type RowSource, type SharedReader } from '../../http/live/shared-reader.ts'
import type { Lifecycle } from '../../http/server/lifecycle.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { type EventRow, findNewestEvent } from '../journal/service.ts'
import { toCloudEvent } from './envelope.ts'
import { readPiece } from './events.ts'
import { type Position, writeId } from './position.ts'
import { listEventsAfter } from './store.ts'
import { isWanted } from './types.ts'

/** The batch size while a listener catches up. */
const tellSize = 1000

type Parts = {
  storage: Storage
  lifecycle: Lifecycle
  log: Logger
  reader: SharedReader<EventRow>
  source(): string
  /** Proxies close idle connections, often after a minute. */
  heartbeatMs?: number
}

type EventListener = {
  actorId: string
  feedId: string
  from: Position
  types: readonly string[] | null
  mayListen(): Promise<boolean>
}

type EventFeed = {
  /** @throws AppError `overloaded` */
  listen(listener: EventListener): Readable
  close(): void
}

/** Listeners and waiting requests share the same reader. */
export function createEventReader(parts: { storage: Storage; log: Logger }): SharedReader<EventRow> {
  return createSharedReader(parts, rowsOf(parts.storage))
}

function rowsOf({ db }: Storage): RowSource<EventRow> {
  return {
    name: 'the events',
    readAfter: (seq, limit) => listEventsAfter(db, seq, limit),
    findNewestSeq: () => findNewestEvent(db),
    isNews: ({ kind }) => kind === 'journal',
  }
}

export function createEventFeed({ source, heartbeatMs = 15_000, ...parts }: Parts): EventFeed {
  const { storage } = parts
  let lastBeat = Number.NEGATIVE_INFINITY
  const feed = createLiveFeed<EventRow>(parts, {
    ...rowsOf(storage),
    toEvent: (row) => `event: ${row.type}\ndata: ${JSON.stringify(toCloudEvent(row, source()))}\n\n`,
    async pulse(readNews) {
      if (!storage.isCurrent()) return undefined
      if (performance.now() - lastBeat < heartbeatMs) return () => ''
      // A heartbeat means that the listener has received everything.
      if (!(await readNews())) return undefined
      lastBeat = performance.now()
      // A browser remembers an id without data but delivers no event, so a listener that wants few events reconnects at the right place.
      return (_cursor, id) => `: heartbeat\nid: ${id}\n\n`
    },
  })

  function listen({ actorId, feedId, from, types, mayListen }: EventListener): Readable {
    let { base } = from
    return feed.listen({
      actorId,
      mayListen,
      start: async () => from.seq,
      wants: ({ type }) => isWanted(types, type),
      async read(seq) {
        const wanted = { limit: tellSize, types, feed_id: feedId }
        const { position, rows, hasMore } = await readPiece(storage.db, { seq, base }, wanted)
        base = position.base
        return { rows, reached: position.seq, hasMore }
      },
      idOf: (seq) => writeId({ seq, base }, feedId),
    })
  }
  return { listen, close: feed.close }
}
