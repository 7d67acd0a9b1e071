/**
 * Watches the database on a connection of its own: whether it answers, where the primary is, and what was revoked. It
 * looks four times a second, and at once when it is notified.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Subject } from '../context.ts'
import { isUnreachable, NotPrimary } from '../db/postgres/failures.ts'
import { closeClient, connectToPrimary, cut, forsaken, type PrimaryOptions } from '../db/postgres/primary.ts'
import { firstVersion } from '../rules/stored-rules.ts'

export type Watch = {
  /** Whether the database answered a moment ago. */
  isUp(): boolean
  /** For how long it has not answered, in milliseconds; about zero when all is well. */
  downMs(): number
  /** How long ago the last look began, in milliseconds: everything revoked before it is known here. */
  ageMs(): number
  /** Whether everything revoked more than `trustMs` ago is known here. */
  isCurrent(): boolean
  close(): Promise<void>
}

export type WatchOptions = {
  primary: PrimaryOptions
  channel: string
  /** How often it looks without notifications, in milliseconds. */
  pollMs?: number
  /** These were revoked; without knowing which, anything may have been. */
  onRevocation(subjects: readonly Subject[] | undefined): void
  /** The version of the stored rules. The look counts when this is done: what is known here must not be older than the look. */
  onRules(version: string): Promise<void>
  /** It has just answered. */
  onLook(): void
  /** Another server is the primary now. */
  onMove(): void
  /** The database does not respond to new connections either: waiting on an older one is useless. */
  onSilence(): void
  onChange(up: boolean, error?: Error): void
}

const [answerMs, reconnectMs] = [1000, 200]
/** How long remembered state counts after the last check began: revocations must hold within a second. */
const trustMs = 750
const upMs = 2000
/** More than this at once are not announced one by one. */
const subjectsLimit = 1000

function lookQuery(several: boolean, count: number | undefined): pg.QueryConfig {
  return {
    name: 'rollbook_look',
    text: `SELECT count::text, current_setting('transaction_read_only') AS read_only,
             coalesce(inet_server_addr()::text, 'socket') || ' ' || coalesce(inet_server_port(), 0) AS place,
             ${several ? forsaken : 'false'} AS forsaken,
             (SELECT json_agg(json_build_object('kind', kind, 'id', id, 'credentials_version', credentials_version))
              FROM (SELECT kind, id, credentials_version FROM revoked WHERE seq > $1::bigint ORDER BY seq LIMIT ${subjectsLimit}) AS news) AS subjects,
             (SELECT value FROM journal_state WHERE name = 'rules') AS rules
           FROM revocations`,
    values: [count ?? Number.MAX_SAFE_INTEGER],
  }
}

/** Whether another server is the primary by now, which the one that is watched may not know. */
async function isReplaced(primary: PrimaryOptions, host: unknown): Promise<boolean> {
  const found = await connectToPrimary(primary)
  cut(found.client)
  return found.host !== host
}

export async function watchDatabase(options: WatchOptions): Promise<Watch> {
  const { pollMs = 250 } = options
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

  const pause = interruptiblePause(signal)

  async function connect(): Promise<pg.Client> {
    const found = await connectToPrimary(primary)
    const connected = found.client
    host = found.host
    connected.on('notification', pause.interrupt)
    connected.on('end', () => {
      isListening = false
    })
    try {
      await connected.query(`LISTEN ${options.channel}`)
      // Announcements made meanwhile are lost, and another server's counter may happen to be equal.
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
    const { rows } = await connection.query(lookQuery(several, count))
    const [row] = rows
    const isPrimary = row.read_only === 'off' && !(row.forsaken && (await isReplaced(primary, host)))
    if (!isPrimary || (place !== undefined && place !== row.place)) options.onMove()
    if (!isPrimary) throw new NotPrimary('The server no longer accepts writes.')
    place = row.place
    const news = Number(row.count) - (count ?? Number.NEGATIVE_INFINITY)
    // A node of 0.1.0 counts without saying what it has revoked.
    if (news !== 0) options.onRevocation(row.subjects?.length === news ? row.subjects : undefined)
    count = Number(row.count)
    await options.onRules(row.rules ?? firstVersion)
    isListening = true
    lastLook = begun
    options.onLook()
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
        await pause.wait(pollMs)
        if (signal.aborted) return
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
    ageMs: sinceLook,
    isCurrent: () => isListening && sinceLook() < trustMs,
    async close() {
      stop.abort()
      await watching
      if (client !== undefined) await closeClient(client)
    },
  }
}

type Pause = {
  /** Returns after this time, when it is interrupted, or at once if it was interrupted since the last one. */
  wait(ms: number): Promise<void>
  interrupt(): void
}

function interruptiblePause(stopped: AbortSignal): Pause {
  let interruption = new AbortController()
  return {
    async wait(ms) {
      const signal = AbortSignal.any([stopped, interruption.signal])
      await sleep(ms, undefined, { signal }).catch(() => {})
      interruption = new AbortController()
    },
    interrupt: () => interruption.abort(),
  }
}
