/**
 * The live feed: what was revoked goes out to everybody who listens, and several times a second how old that knowledge
 * is. All listeners share one reader, and nothing is read while nobody listens.
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Lifecycle } from '../app.ts'
import { AppError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { findNewestSeq } from './feed-store.ts'
import { listRevocationsAfter, type RevokedRow } from './service.ts'

export const tickMs = 250
export const pageSize = 1000
/** Half of them at most for one credential, so that nobody shuts the others out. */
const listenerLimit = 256
/** Some thousand revocations; who is that far behind does not read, and may come again. */
const unreadLimit = 1_048_576

export type Listener = {
  actorId: string
  /** Everything greater is sent; undefined: everything that is kept. */
  after: number | undefined
  /** Whether the credential of the listener still permits it to listen. */
  mayListen(): Promise<boolean>
}

type Attached = Listener & { stream: Readable; sent: number }

export type Feed = {
  /** @throws AppError `overloaded` */
  listen(listener: Listener): Readable
  /** Stops the clock and ends every listener. */
  close(): void
}

type Parts = { storage: Storage; lifecycle: Lifecycle; log: Logger }

export function createFeed({ storage, lifecycle, log }: Parts): Feed {
  const listeners = new Set<Attached>()
  const joining = new Set<Attached>()
  let cursor = 0
  let ticking: NodeJS.Timeout | undefined
  let reading: Promise<boolean> | undefined
  let isWanted = false

  /** Reads what is new and hands it out; another wish meanwhile is another reading. False: it could not be read. */
  function readNews(): Promise<boolean> {
    isWanted = true
    reading ??= (async () => {
      try {
        while (isWanted) {
          isWanted = false
          await readOnce()
        }
        return true
      } catch (err) {
        // Those who listen hear no `current` and know what that means.
        log.warn({ err }, 'the revocations cannot be read for those who follow them')
        return false
      } finally {
        reading = undefined
      }
    })()
    return reading
  }

  async function readOnce(): Promise<void> {
    for (;;) {
      const rows = await listRevocationsAfter(storage.db, cursor, pageSize)
      for (const listener of listeners) send(listener, rows)
      cursor = rows.at(-1)?.seq ?? cursor
      if (rows.length < pageSize) return
    }
  }

  function send(listener: Attached, rows: readonly RevokedRow[]): void {
    const news = rows.filter(({ seq }) => seq > listener.sent)
    if (news.length === 0) return
    listener.sent = news.at(-1)?.seq ?? listener.sent
    write(listener, news.map(toEvent).join(''))
  }

  function write(listener: Attached, text: string): void {
    const { stream } = listener
    if (stream.readableLength > unreadLimit) drop(listener, new Error('It does not read what it is sent.'))
    // It may have left while the store was read for it.
    if (listeners.has(listener) || joining.has(listener)) stream.push(text)
  }

  function drop(listener: Attached, error?: Error): void {
    if (!listeners.delete(listener) && !joining.delete(listener)) return
    if (error === undefined) {
      if (!listener.stream.destroyed) listener.stream.push(null)
    } else {
      log.warn({ err: error }, 'somebody who followed the revocations was cut')
      listener.stream.destroy(error)
    }
    if (listeners.size + joining.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }

  /** What is known at the end was true when it began, or when the storage last made sure of itself. */
  async function tick(): Promise<void> {
    if (lifecycle.stage === 'draining') return close()
    if (listeners.size === 0 || reading !== undefined) return
    const begun = performance.now()
    if (!(await readNews()) || !storage.isCurrent()) return
    const age_ms = Math.ceil(Math.max(performance.now() - begun, storage.ageMs()))
    for (const listener of listeners) {
      write(
        listener,
        `event: current\ndata: ${JSON.stringify({ age_ms, cursor: Math.max(cursor, listener.sent) })}\n\n`,
      )
      dismissIfRefused(listener)
    }
  }

  function dismissIfRefused(listener: Attached): void {
    listener.mayListen().then(
      (may) => may || drop(listener),
      (err) => log.warn({ err }, 'whether a listener may go on is not known; it is asked again'),
    )
  }

  /** Brings a new listener to where the others are, and takes it in at the same moment. */
  async function join(listener: Attached): Promise<void> {
    const newest = await findNewestSeq(storage.db)
    // A number that was never given is one of another database: of this one, everything is news.
    const { after = 0 } = listener
    listener.sent = after > newest ? 0 : after
    for (;;) {
      const others = cursor
      const rows = await listRevocationsAfter(storage.db, listener.sent, pageSize)
      send(listener, rows)
      while (joining.has(listener) && listener.stream.readableLength > 0) await sleep(20)
      if (!joining.has(listener)) return
      // What the others were told while this was read, they were told without this one.
      if (rows.length < pageSize && (listeners.size === 0 || cursor === others)) break
    }
    joining.delete(listener)
    if (listeners.size === 0) cursor = listener.sent
    listeners.add(listener)
    await tick()
  }

  function close(): void {
    for (const listener of [...listeners, ...joining]) drop(listener)
  }

  /** After a failover that lost commits, numbers are given anew: listeners come again, and are told everything. */
  async function endIfNumbersWentBack(): Promise<void> {
    if ((await findNewestSeq(storage.db)) < cursor) close()
  }

  storage.onAnnouncement(({ kind }) => {
    if (listeners.size === 0 || kind === 'users_changed') return
    if (kind === 'forget') endIfNumbersWentBack().catch((err) => log.warn({ err }, 'the revocations cannot be read'))
    void readNews()
  })

  return {
    listen(given) {
      const all = [...listeners, ...joining]
      const same = all.filter(({ actorId }) => actorId === given.actorId)
      if (all.length >= listenerLimit || same.length >= listenerLimit / 2) {
        throw new AppError('overloaded', 'Too many follow the revocations already; ask for them as JSON.')
      }
      const stream = new Readable({ read() {} })
      const listener: Attached = { ...given, stream, sent: 0 }
      stream.once('close', () => drop(listener))
      joining.add(listener)
      ticking ??= setInterval(tick, tickMs).unref()
      // Proxies that wait for a first byte get one; who was cut comes again after a second.
      write(listener, 'retry: 1000\n\n')
      join(listener).catch((error) => drop(listener, error))
      return stream
    },
    close,
  }
}

function toEvent(row: RevokedRow): string {
  return `id: ${row.seq}\nevent: revoked\ndata: ${JSON.stringify(toRevocation(row))}\n\n`
}

/** The one place that decides what of a row may leave. */
export function toRevocation({ seq, kind, id, credentials_version, revoked_at }: RevokedRow) {
  return { seq, kind, id, ...(credentials_version !== null && { credentials_version }), revoked_at }
}
