/** The live feed: what was revoked and, several times a second, how current that is. */
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { createLiveFeed } from '../../http/live/live-feed.ts'
import type { Lifecycle } from '../../http/server/lifecycle.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { findNewestSeq } from './feed-store.ts'
import { listRevocationsAfter, type RevokedRow } from './store.ts'

export type Listener = {
  actorId: string
  /** Only greater numbers are sent; undefined: everything that is kept. */
  after: number | undefined
  /** Whether the listener's credential still permits listening. */
  mayListen(): Promise<boolean>
}

export type Feed = {
  /** @throws AppError `overloaded` */
  listen(listener: Listener): Readable
  /** Stops the timer and ends every listener. */
  close(): void
}

export function createFeed(parts: { storage: Storage; lifecycle: Lifecycle; log: Logger }): Feed {
  const { storage } = parts
  const { db } = storage
  const feed = createLiveFeed<RevokedRow>(parts, {
    name: 'the revocations',
    readAfter: (seq, limit) => listRevocationsAfter(db, seq, limit),
    findNewestSeq: () => findNewestSeq(db),
    isNews: ({ kind }) => kind === 'revoked' || kind === 'forget',
    toEvent: (row) => `event: revoked\ndata: ${JSON.stringify(toRevocation(row))}\n\n`,
    /** The result of a read was true when the read started, or when the storage last confirmed itself. */
    async pulse(readNews) {
      const begun = performance.now()
      if (!(await readNews()) || !storage.isCurrent()) return undefined
      const age_ms = Math.ceil(Math.max(performance.now() - begun, storage.ageMs()))
      return (cursor) => `event: current\ndata: ${JSON.stringify({ age_ms, cursor })}\n\n`
    },
  })
  return {
    listen: ({ actorId, after = 0, mayListen }) =>
      feed.listen({
        actorId,
        mayListen,
        // An unknown number comes from another database: send everything.
        start: async () => (after > (await findNewestSeq(db)) ? 0 : after),
      }),
    close: feed.close,
  }
}

/** The only function that decides which columns of a row may leave. */
export function toRevocation({ seq, kind, id, credentials_version, revoked_at }: RevokedRow) {
  return { seq, kind, id, ...(credentials_version !== null && { credentials_version }), revoked_at }
}
