/** Sends numbered rows as server-sent events for as long as clients listen. */

import { Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { shareFaults } from '../../lib/fault-owner.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { Lifecycle } from '../server/lifecycle.ts'
import { refuseCrowd } from './listening.ts'
import { createSharedReader, type Numbered, pageSize, type RowSource, type SharedReader } from './shared-reader.ts'

const tickMs = 250
/** Some thousand rows; a listener that far behind is not reading, and may reconnect. */
const unreadLimit = 1_048_576

/** A message of the feed. */
export type Source<Row extends Numbered> = RowSource<Row> & {
  /** A row as an event, without its id. */
  toEvent(row: Row): string
  /**
   * Called four times a second: an extra message for listeners that have received everything up to a number. Undefined if it
   * is not known at the moment whether anything is true.
   */
  pulse(readNews: () => Promise<boolean>): Promise<((cursor: number, id: string) => string) | undefined>
}

/** Selects the wanted rows up to `reached`. */
export type Piece<Row extends Numbered> = { rows: readonly Row[]; reached: number; hasMore: boolean }

export type Listener<Row extends Numbered> = {
  actorId: string
  /** The number after which it starts. */
  start(): Promise<number>
  /** Whether the listener's credential still permits listening. */
  mayListen(): Promise<boolean>
  wants?(row: Row): boolean
  /** How it reads to catch up, if it may not read what the others read. */
  read?(seq: number): Promise<Piece<Row>>
  /** The event id for a number. */
  idOf?(seq: number): string
}

type Attached<Row extends Numbered> = Listener<Row> & { stream: Readable; sent: number }

export type LiveFeed<Row extends Numbered> = {
  /** @throws AppError `overloaded` */
  listen(listener: Listener<Row>): Readable
  /** Stops the timer and ends every listener. */
  close(): void
}

type Parts<Row extends Numbered> = {
  storage: Storage
  lifecycle: Lifecycle
  log: Logger
  /** For readers that share it. */
  reader?: SharedReader<Row>
}

export function createLiveFeed<Row extends Numbered>(parts: Parts<Row>, source: Source<Row>): LiveFeed<Row> {
  const { lifecycle, log, reader = createSharedReader(parts, source) } = parts
  const listeners = new Set<Attached<Row>>()
  const joining = new Set<Attached<Row>>()
  /** A row for many listeners is serialized once. */
  const texts = new WeakMap<Row, string>()
  let ticking: NodeJS.Timeout | undefined
  let isTicking = false

  const all = {
    onRows(rows: readonly Row[]) {
      for (const listener of listeners) {
        try {
          send(listener, rows, rows.at(-1)?.seq ?? 0)
        } catch (error) {
          // The others receive the rows.
          drop(listener, error as Error)
        }
      }
    },
    lose: close,
  }

  function textOf(row: Row): string {
    const text = texts.get(row) ?? source.toEvent(row)
    texts.set(row, text)
    return text
  }

  function send(listener: Attached<Row>, rows: readonly Row[], reached: number): void {
    const { wants = () => true, idOf = String, sent } = listener
    const news = rows.filter((row) => row.seq > sent && wants(row))
    listener.sent = Math.max(sent, reached)
    write(listener, news.map((row) => `id: ${idOf(row.seq)}\n${textOf(row)}`).join(''))
  }

  function write(listener: Attached<Row>, text: string): void {
    const { stream } = listener
    if (text === '') return
    if (stream.readableLength > unreadLimit) drop(listener, new Error('The client does not read what it is sent.'))
    // It may have left during the read.
    if (listeners.has(listener) || joining.has(listener)) stream.push(text)
  }

  function drop(listener: Attached<Row>, error?: Error): void {
    if (!listeners.delete(listener) && !joining.delete(listener)) return
    if (error === undefined) {
      if (!listener.stream.destroyed) listener.stream.push(null)
    } else {
      log.warn({ err: error }, `disconnected a client that followed ${source.name}`)
      listener.stream.destroy(error)
    }
    if (listeners.size === 0) reader.detach(all)
    if (listeners.size + joining.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }

  async function tick(): Promise<void> {
    if (lifecycle.stage === 'draining') return close()
    for (const listener of joining) dismissIfRefused(listener)
    if (listeners.size === 0 || isTicking) return
    isTicking = true
    try {
      const say = await source.pulse(reader.readNews)
      if (say === undefined) return
      for (const listener of listeners) {
        const { sent, idOf = String } = listener
        const cursor = Math.max(reader.cursor() ?? 0, sent)
        write(listener, say(cursor, idOf(cursor)))
        dismissIfRefused(listener)
      }
    } catch (err) {
      log.warn({ err }, `could not send a pulse to the clients that follow ${source.name}`)
    } finally {
      isTicking = false
    }
  }

  function dismissIfRefused(listener: Attached<Row>): void {
    listener.mayListen().then(
      (may) => may || drop(listener),
      (err) => log.warn({ err }, 'could not check whether a listener may continue; retrying'),
    )
  }

  async function readAsAll(seq: number): Promise<Piece<Row>> {
    const rows = await source.readAfter(seq, pageSize)
    return { rows, reached: rows.at(-1)?.seq ?? seq, hasMore: rows.length === pageSize }
  }

  /** Brings a new listener up to date and adds it to the others in the same step. */
  async function join(listener: Attached<Row>): Promise<void> {
    listener.sent = await listener.start()
    const { read = readAsAll } = listener
    for (;;) {
      const others = reader.cursor()
      const { rows, reached, hasMore } = await read(listener.sent)
      send(listener, rows, reached)
      // SQLite reads on the caller's turn: a listener that wants few rows would delay all others.
      await nextTurn()
      while (joining.has(listener) && listener.stream.readableLength > 0) await sleep(20)
      if (!joining.has(listener)) return
      // The others received the rows of this read without the new listener.
      const now = reader.cursor()
      if (!hasMore && (now === undefined || now === others)) break
    }
    joining.delete(listener)
    listeners.add(listener)
    reader.attach(all, listener.sent)
    // No one was told about the rows since the last read.
    await reader.readNews()
    await tick()
  }

  function close(): void {
    for (const listener of [...listeners, ...joining]) drop(listener)
  }

  return {
    listen(client) {
      const present = [...listeners, ...joining]
      refuseCrowd(
        present,
        client.actorId,
        `Too many clients already follow ${source.name}. Request them as JSON instead.`,
      )
      const stream = new Readable({ read() {} })
      const listener: Attached<Row> = { ...client, stream, sent: 0 }
      stream.once('close', () => drop(listener))
      joining.add(listener)
      ticking ??= shareFaults(() => setInterval(tick, tickMs).unref())
      // Gives a first byte to proxies that wait for one; a client that was cut off reconnects after a second.
      write(listener, 'retry: 1000\n\n')
      join(listener).catch((error) => drop(listener, error))
      return stream
    },
    close,
  }
}
