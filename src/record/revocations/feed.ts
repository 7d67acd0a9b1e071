/** The live feed: what was revoked, and several times a second how old that knowledge is. */
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { createLiveFeed } from '../../http/live/live-feed.ts'
import type { Lifecycle } from '../../http/server/lifecycle.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { findNewestSeq } from './feed-store.ts'
import { listRevocationsAfter, type RevokedRow } from './service.ts'

export type Listener = {
  actorId: string
  /** Everything greater is sent; undefined: everything that is kept. */
  after: number | undefined
  /** Whether the credential of the listener still permits it to listen. */
  mayListen(): Promise<boolean>
}

export type Feed = {
  /** @throws AppError `overloaded` */
  listen(listener: Listener): Readable
  /** Stops the clock and ends every listener. */
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
    /** What is known at the end was true when it began, or when the storage last made sure of itself. */
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
        // A number that was never given is one of another database: of this one, everything is news.
        start: async () => (after > (await findNewestSeq(db)) ? 0 : after),
      }),
    close: feed.close,
  }
}

/** The one place that decides what of a row may leave. */
export function toRevocation({ seq, kind, id, credentials_version, revoked_at }: RevokedRow) {
  return { seq, kind, id, ...(credentials_version !== null && { credentials_version }), revoked_at }
}
