/**
 * Sends events to the endpoints that want them, at least once, and in order per user. Every node has one dispatcher; what
 * one has claimed, the others leave alone until its lease ends. Leaves sending to one endpoint to dispatch-lane.ts, and
 * writing to dispatch-advance.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../../core/config.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { takeTurns } from '../../store/storage/turns.ts'
import { listWork, type Work } from './deliveries-store.ts'
import { createLane, type Lane } from './dispatch-lane.ts'
import { createSender } from './send.ts'
import type { Resolve } from './send-lookup.ts'

export type DispatcherConfig = Pick<
  Config,
  'webhookAllowedNetworks' | 'webhookAllowHttp' | 'webhookTimeoutSeconds' | 'keyEncryptionSecret'
>

export type DispatcherParts = {
  storage: Storage
  config: DispatcherConfig
  source(): string
  log: Logger
  clock?: () => number
  /** How names are resolved. */
  resolve?: Resolve
  /** How often the store is polled without announcements. */
  everyMs?: number
}

export type Dispatcher = { stop(): Promise<void> }

/** The minimum time in which events gather before a poll; it grows with the number of endpoints. */
const [gatherMs, gatherMsOfEach] = [25, 5]
/** How many endpoints may write at once; PostgreSQL has a connection for each. */
const writingAtOnce = 3
/** A response may come at the last moment, and its outcome must still be written. */
const leaseMarginMs = 30_000
/** At the end: how long open requests may continue, and how long writing their outcomes may take. */
const [graceMs, writeMs] = [1000, 2000]

export function startDispatcher(parts: DispatcherParts): Dispatcher {
  const { storage, config, log, clock = Date.now, everyMs = 2000 } = parts
  const sender = createSender(config, parts.resolve)
  const leaseMs = config.webhookTimeoutSeconds * 1000 + leaseMarginMs
  const encryptionSecret = config.keyEncryptionSecret
  const inTurn = takeTurns(writingAtOnce, Number.POSITIVE_INFINITY)
  const laneParts = { storage, sender, encryptionSecret, source: parts.source, leaseMs, inTurn, clock, log }
  /** One per active endpoint. */
  const lanes = new Map<string, Lane>()
  /** Lanes of inactive endpoints, which may still have open requests. */
  const leaving = new Set<Lane>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let [isWanted, isStopped] = [false, false]

  function lookIn(ms: number): void {
    if (isStopped) return
    clearTimeout(timer)
    timer = setTimeout(look, ms).unref()
  }

  const gathering = () => Math.max(gatherMs, gatherMsOfEach * lanes.size)

  function look(): void {
    looking ??= lookOnce()
  }

  async function lookOnce(): Promise<void> {
    isWanted = false
    const works = await listWork(storage.db).catch((err: unknown) => {
      log.warn({ err }, 'cannot find the webhooks that are due; retrying')
      return undefined
    })
    if (works !== undefined && !isStopped) assign(works)
    looking = undefined
    lookIn(isWanted ? gathering() : untilNext(works ?? []))
  }

  function assign(works: readonly Work[]): void {
    const active = new Set(works.map(({ endpoint_id }) => endpoint_id))
    for (const [id, lane] of lanes) if (!active.has(id)) leave(id, lane)
    for (const work of works) {
      const lane = lanes.get(work.endpoint_id) ?? createLane(work.endpoint_id, laneParts)
      lanes.set(work.endpoint_id, lane)
      lane.look(work)
    }
  }

  function leave(id: string, lane: Lane): void {
    lanes.delete(id)
    leaving.add(lane)
    lane.stop()
    void lane.ended().finally(() => leaving.delete(lane))
  }

  /** Polls when something becomes due, and now and then for unannounced changes. */
  function untilNext(works: readonly Work[]): number {
    const now = timestamp(clock())
    const times = works.flatMap(({ due_at, test_due_at, paused_until }) => [
      ...(test_due_at === null ? [] : [test_due_at]),
      ...(due_at === null ? [] : [due_at > (paused_until ?? '') ? due_at : (paused_until as string)]),
    ])
    const next = times.filter((time) => time > now).toSorted()[0]
    return next === undefined ? everyMs : Math.min(everyMs, Math.max(gatherMs, Date.parse(next) - clock()))
  }

  storage.onAnnouncement(({ kind }) => {
    if (kind !== 'journal' || lanes.size === 0 || isWanted) return
    isWanted = true
    // A poll in progress may have been too early: run another one after it.
    if (looking === undefined) lookIn(gathering())
  })
  look()

  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      // A poll that the database does not finish must not assign anything later.
      await Promise.race([looking, sleep(graceMs, undefined, { ref: false })])
      const all = [...lanes.values(), ...leaving]
      for (const lane of all) lane.stop()
      const ended = Promise.all(all.map((lane) => lane.ended()))
      await Promise.race([ended, sleep(graceMs, undefined, { ref: false })])
      // Open requests are released, and sent again by the next node.
      sender.close()
      await Promise.race([ended, sleep(writeMs, undefined, { ref: false })])
    },
  }
}
