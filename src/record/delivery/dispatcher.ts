/**
 * Looks for work, and gives it to one lane per receiver. Every node has a dispatcher for each kind of receiver; what one has
 * claimed, the others leave alone until its lease ends. Leaves sending to lane.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { timestamp } from '../../lib/instant.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { Lane } from './lane.ts'

export type DispatcherParts<Work> = {
  storage: Pick<Storage, 'onAnnouncement'>
  /** Names what is sent, in the log. */
  what: string
  /** Returns the work of every active receiver. */
  listWork(): Promise<Work[]>
  idOf(work: Work): string
  createLane(work: Work): Lane<Work>
  /** When something may become due. */
  timesOf(work: Work): readonly string[]
  /** How long open messages may continue after `stop`. */
  graceMs: number
  /** Abandons what is open. */
  close(): void
  log: Logger
  clock(): number
  /** How often the store is polled without announcements. */
  everyMs: number
}

export type Dispatcher = { stop(): Promise<void> }

/** The minimum time in which work gathers before a poll; it grows with the number of lanes. */
const [gatherMs, gatherMsOfEach] = [25, 5]
/** At the end: how long a poll may take, and writing the outcomes of messages that were abandoned. */
const [pollMs, writeMs] = [1000, 2000]

export function startDispatching<Work>(parts: DispatcherParts<Work>): Dispatcher {
  const { storage, log, clock, everyMs } = parts
  /** One per active receiver. */
  const lanes = new Map<string, Lane<Work>>()
  /** Lanes of inactive receivers, which may still have open messages. */
  const leaving = new Set<Lane<Work>>()
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
    const works = await parts.listWork().catch((err: unknown) => {
      log.warn({ err }, `cannot find the ${parts.what} that are due; retrying`)
      return undefined
    })
    if (works !== undefined && !isStopped) assign(works)
    looking = undefined
    lookIn(isWanted ? gathering() : untilNext(works ?? []))
  }

  function assign(works: readonly Work[]): void {
    const active = new Set(works.map(parts.idOf))
    for (const [id, lane] of lanes) if (!active.has(id)) retire(id, lane)
    for (const work of works) {
      const id = parts.idOf(work)
      const lane = lanes.get(id) ?? parts.createLane(work)
      lanes.set(id, lane)
      lane.look(work)
    }
  }

  function retire(id: string, lane: Lane<Work>): void {
    lanes.delete(id)
    leaving.add(lane)
    lane.stop()
    void lane.whenIdle().finally(() => leaving.delete(lane))
  }

  /** Polls when something becomes due, and now and then for unannounced changes. */
  function untilNext(works: readonly Work[]): number {
    const now = timestamp(clock())
    const next = works
      .flatMap(parts.timesOf)
      .filter((time) => time > now)
      .toSorted()[0]
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
      await Promise.race([looking, sleep(pollMs, undefined, { ref: false })])
      const all = [...lanes.values(), ...leaving]
      for (const lane of all) lane.stop()
      const allIdle = Promise.all(all.map((lane) => lane.whenIdle()))
      await Promise.race([allIdle, sleep(parts.graceMs, undefined, { ref: false })])
      // Open messages are released, and sent again by the next node.
      parts.close()
      await Promise.race([allIdle, sleep(writeMs, undefined, { ref: false })])
    },
  }
}
