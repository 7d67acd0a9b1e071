/**
 * Watches the database on a connection of its own: whether it answers, where the primary is, and whether anything was
 * revoked. Notifications arrive at once; the count, asked for four times a second, tells of those that did not arrive.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isUnreachable, NotPrimary } from '../db/postgres/failures.ts'
import { connectToPrimary, cut, forsaken, leave, type PrimaryOptions } from '../db/postgres/primary.ts'

export type Watch = {
  /** Whether the database answered a moment ago. */
  isUp(): boolean
  /** For how long it has not answered, in milliseconds; about zero when all is well. */
  downMs(): number
  /** Whether everything revoked more than `trustMs` ago is known here. */
  isCurrent(): boolean
  close(): Promise<void>
}

export type WatchOptions = {
  primary: PrimaryOptions
  channel: string
  /** Something was revoked, or may have been. */
  onRevocation(): void
  /** Another server is the primary now. */
  onMove(): void
  /** The database does not answer anew either: who waits for it on an older connection waits in vain. */
  onSilence(): void
  onChange(up: boolean, error?: Error): void
}

const [pollMs, answerMs, reconnectMs] = [250, 1000, 200]
/** What is remembered counts for so long after the last look began; revocations must hold within a second. */
const trustMs = 750
const upMs = 2000

export async function watchDatabase(options: WatchOptions): Promise<Watch> {
  const stop = new AbortController()
  const { signal } = stop
  let lastLook = Number.NEGATIVE_INFINITY
  let count: number | undefined
  let place: string | undefined
  let client: pg.Client | undefined
  let host: unknown
  let isListening = false

  const primary = { ...options.primary, statementMs: answerMs }
  const several = primary.address.hosts.length > 1

  async function connect(): Promise<pg.Client> {
    const found = await connectToPrimary(primary)
    const connected = found.client
    host = found.host
    connected.on('notification', options.onRevocation)
    connected.on('end', () => {
      isListening = false
    })
    try {
      await connected.query(`LISTEN ${options.channel}`)
      // What was announced meanwhile is lost, and the count of another server may happen to be the same.
      count = undefined
      await look(connected)
      return connected
    } catch (error) {
      cut(connected)
      throw error
    }
  }

  async function look(connection: pg.Client): Promise<void> {
    const begun = performance.now()
    const { rows } = await connection.query({
      name: 'rollbook_look',
      text: `SELECT count::text, current_setting('transaction_read_only') AS read_only,
               coalesce(inet_server_addr()::text, 'socket') || ' ' || coalesce(inet_server_port(), 0) AS place,
               ${several ? forsaken : 'false'} AS forsaken
             FROM revocations`,
      values: [],
    })
    const [row] = rows
    const isPrimary = row.read_only === 'off' && !(row.forsaken && (await isReplaced()))
    if (!isPrimary || (place !== undefined && place !== row.place)) options.onMove()
    if (!isPrimary) throw new NotPrimary('The server takes no writes any more.')
    place = row.place
    if (count !== Number(row.count)) options.onRevocation()
    count = Number(row.count)
    isListening = true
    lastLook = begun
  }

  /** Whether another server is the primary by now, which the one that is watched may not know. */
  async function isReplaced(): Promise<boolean> {
    const found = await connectToPrimary(primary)
    cut(found.client)
    return found.host !== host
  }

  async function keepWatching(): Promise<void> {
    let up = true
    let silent = false
    while (!signal.aborted) {
      try {
        client ??= await connect()
        if (!up) options.onChange(true)
        up = true
        silent = false
        await sleep(pollMs, undefined, { signal })
        await look(client)
      } catch (error) {
        if (signal.aborted) return
        if (up) options.onChange(false, error as Error)
        else if (!silent && isUnreachable(error)) {
          silent = true
          options.onSilence()
        }
        up = false
        if (client !== undefined) cut(client)
        client = undefined
        await sleep(reconnectMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  client = await connect()
  const watching = keepWatching()
  const sinceLook = () => performance.now() - lastLook

  return {
    isUp: () => sinceLook() < upMs,
    downMs: () => Math.max(0, sinceLook() - upMs),
    isCurrent: () => isListening && sinceLook() < trustMs,
    async close() {
      stop.abort()
      await watching
      if (client !== undefined) await leave(client)
    },
  }
}
