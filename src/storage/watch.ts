/**
 * Watches the database on a connection of its own: whether it answers, where the primary is, and whether anything was
 * revoked. Notifications arrive at once; the count, asked for four times a second, tells of those that did not arrive.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { NotPrimary } from '../db/postgres/failures.ts'
import { connectToPrimary, type PrimaryOptions } from '../db/postgres/primary.ts'

export type Watch = {
  /** Whether the database answered a moment ago. */
  isUp(): boolean
  /** For how long it has not answered, in milliseconds; about zero when all is well. */
  downMs(): number
  /** Whether everything revoked more than `trustMs` ago is known here. */
  isCurrent(): boolean
  close(): Promise<void>
}

type Options = {
  primary: PrimaryOptions
  channel: string
  /** Something was revoked, or may have been. */
  onRevocation(): void
  /** Another server is the primary now. */
  onMove(): void
  onChange(up: boolean, error?: Error): void
}

const [pollMs, answerMs, reconnectMs] = [250, 1000, 200]
/** What is remembered counts for so long after the last look began; revocations must hold within a second. */
const trustMs = 750
const upMs = 2000

export async function watchDatabase(options: Options): Promise<Watch> {
  const stop = new AbortController()
  const { signal } = stop
  let lastLook = Number.NEGATIVE_INFINITY
  let count: number | undefined
  let place: string | undefined
  let client: pg.Client | undefined

  async function connect(): Promise<pg.Client> {
    const connected = (await connectToPrimary({ ...options.primary, statementMs: answerMs })).client
    connected.on('notification', options.onRevocation)
    try {
      await connected.query(`LISTEN ${options.channel}`)
      await look(connected)
      return connected
    } catch (error) {
      connected.end().catch(() => {})
      throw error
    }
  }

  async function look(connection: pg.Client): Promise<void> {
    const begun = performance.now()
    const { rows } = await connection.query({
      name: 'rollbook_look',
      text: `SELECT count::text, current_setting('transaction_read_only') AS read_only,
               coalesce(inet_server_addr()::text, 'socket') || ' ' || coalesce(inet_server_port(), 0) AS place
             FROM revocations`,
      values: [],
    })
    const [row] = rows
    if (row.read_only !== 'off') throw new NotPrimary('The server takes no writes any more.')
    if (place !== undefined && place !== row.place) options.onMove()
    place = row.place
    if (count !== undefined && count !== Number(row.count)) options.onRevocation()
    count = Number(row.count)
    lastLook = begun
  }

  async function keepWatching(): Promise<void> {
    let up = true
    while (!signal.aborted) {
      try {
        client ??= await connect()
        if (!up) options.onChange(true)
        up = true
        await sleep(pollMs, undefined, { signal })
        await look(client)
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof NotPrimary) options.onMove()
        if (up) options.onChange(false, error as Error)
        up = false
        client?.end().catch(() => {})
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
    isCurrent: () => sinceLook() < trustMs,
    async close() {
      stop.abort()
      await watching
      await client?.end()
    },
  }
}
