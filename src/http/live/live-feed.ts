/** Numbered rows as server-sent events, for as long as somebody listens. */
import { Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Lifecycle } from '../../app/app.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { refuseCrowd } from './listening.ts'
import { createSharedReader, type Numbered, pageSize, type RowSource, type SharedReader } from './shared-reader.ts'

const tickMs = 250
/** Some thousand rows; who is that far behind does not read, and may come again. */
const unreadLimit = 1_048_576

/** What is told. */
export type Source<Row extends Numbered> = RowSource<Row> & {
  /** A row as an event, without its id. */
  toEvent(row: Row): string
  /**
   * Four times a second: what else to say to those who have heard everything up to a number. Undefined: whether anything
   * is true is not known at this moment.
   */
  pulse(readNews: () => Promise<boolean>): Promise<((cursor: number, id: string) => string) | undefined>
}

/** Of the rows up to `reached` those that are wanted. */
export type Piece<Row extends Numbered> = { rows: readonly Row[]; reached: number; hasMore: boolean }

export type Listener<Row extends Numbered> = {
  actorId: string
  /** The number behind which it begins. */
  start(): Promise<number>
  /** Whether the credential of the listener still permits it to listen. */
  mayListen(): Promise<boolean>
  wants?(row: Row): boolean
  /** How it reads while it catches up, if it may not simply read what the others do. */
  read?(seq: number): Promise<Piece<Row>>
  /** What it is told as the id of a number. */
  idOf?(seq: number): string
}

type Attached<Row extends Numbered> = Listener<Row> & { stream: Readable; sent: number }

export type LiveFeed<Row extends Numbered> = {
  /** @throws AppError `overloaded` */
  listen(listener: Listener<Row>): Readable
  /** Stops the clock and ends every listener. */
  close(): void
}

type Parts<Row extends Numbered> = {
  storage: Storage
  lifecycle: Lifecycle
  log: Logger
  /** For those who share it with others. */
  reader?: SharedReader<Row>
}

export function createLiveFeed<Row extends Numbered>(parts: Parts<Row>, source: Source<Row>): LiveFeed<Row> {
  const { lifecycle, log, reader = createSharedReader(parts, source) } = parts
  const listeners = new Set<Attached<Row>>()
  const joining = new Set<Attached<Row>>()
  /** A row that many listen to is put into words once. */
  const texts = new WeakMap<Row, string>()
  let ticking: NodeJS.Timeout | undefined
  let isTicking = false

  const all = {
    take(rows: readonly Row[]) {
      for (const listener of listeners) send(listener, rows, rows.at(-1)?.seq ?? 0)
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
    // It may have left while the store was read for it.
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

  /** Brings a new listener to where the others are, and takes it in at the same moment. */
  async function join(listener: Attached<Row>): Promise<void> {
    listener.sent = await listener.start()
    const { read = readAsAll } = listener
    for (;;) {
      const others = reader.cursor()
      const { rows, reached, hasMore } = await read(listener.sent)
      send(listener, rows, reached)
      // SQLite reads in the turn of the caller: who wants little would keep all others from having theirs.
      await nextTurn()
      while (joining.has(listener) && listener.stream.readableLength > 0) await sleep(20)
      if (!joining.has(listener)) return
      // What the others were told while this was read, they were told without this one.
      const now = reader.cursor()
      if (!hasMore && (now === undefined || now === others)) break
    }
    joining.delete(listener)
    listeners.add(listener)
    reader.attach(all, listener.sent)
    // What came since the last reading was announced to nobody.
    await reader.readNews()
    await tick()
  }

  function close(): void {
    for (const listener of [...listeners, ...joining]) drop(listener)
  }

  return {
    listen(given) {
      const present = [...listeners, ...joining]
      refuseCrowd(
        present,
        given.actorId,
        `Too many clients already follow ${source.name}. Request them as JSON instead.`,
      )
      const stream = new Readable({ read() {} })
      const listener: Attached<Row> = { ...given, stream, sent: 0 }
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
