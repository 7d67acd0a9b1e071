/**
 * Sends events to the endpoints that want them, at least once, and in order for each user. Every node has one dispatcher;
 * what one of them has claimed, the others leave alone until its lease ends. Leaves to dispatch-lane.ts what is sent to
 * one endpoint, to dispatch-advance.ts what is written down.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../../core/config.ts'
import { timestamp } from '../../store/context.ts'
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
  /** How names are looked up. */
  resolve?: Resolve
  /** How often the store is looked at when nothing is heard of. */
  everyMs?: number
}

export type Dispatcher = { stop(): Promise<void> }

/** So long events gather before it is looked, at least; and the longer, the more endpoints have a step each. */
const [gatherMs, gatherMsOfEach] = [25, 5]
/** So many endpoints at once have something written down; PostgreSQL has a connection for each. */
const writingAtOnce = 3
/** An answer may come at the last moment, and is then still to be written down. */
const leaseMarginMs = 30_000
/** So long may open requests go on at the end, and so long may it take to write down what came of them. */
const [graceMs, writeMs] = [1000, 2000]

export function startDispatcher(parts: DispatcherParts): Dispatcher {
  const { storage, config, log, clock = Date.now, everyMs = 2000 } = parts
  const sender = createSender(config, parts.resolve)
  const leaseMs = config.webhookTimeoutSeconds * 1000 + leaseMarginMs
  const encryptionSecret = config.keyEncryptionSecret
  const inTurn = takeTurns(writingAtOnce, Number.POSITIVE_INFINITY)
  const laneParts = { storage, sender, encryptionSecret, source: parts.source, leaseMs, inTurn, clock, log }
  /** Of every active endpoint. */
  const lanes = new Map<string, Lane>()
  /** Of endpoints that are not active any more: some requests may still be open. */
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

  /** The store is looked at when something becomes due, and now and then for what nobody has told of. */
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
    // A look that is under way may have been too early: another one follows it.
    if (looking === undefined) lookIn(gathering())
  })
  look()

  return {
    async stop() {
      isStopped = true
      clearTimeout(timer)
      // A look that the database does not end finds that nothing is to be assigned any more.
      await Promise.race([looking, sleep(graceMs, undefined, { ref: false })])
      const all = [...lanes.values(), ...leaving]
      for (const lane of all) lane.stop()
      const ended = Promise.all(all.map((lane) => lane.ended()))
      await Promise.race([ended, sleep(graceMs, undefined, { ref: false })])
      // What is still open is let go of, and sent again by whoever comes next.
      sender.close()
      await Promise.race([ended, sleep(writeMs, undefined, { ref: false })])
    },
  }
}
