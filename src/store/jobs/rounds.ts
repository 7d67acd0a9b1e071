/** Runs the jobs of housekeeping, which the composition root passes, in rounds. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { system } from '../../core/actor.ts'
import type { Config } from '../../core/config.ts'
import { AppError } from '../../core/errors.ts'
import type { ChangeRequest, Storage } from '../storage/storage.ts'
import { databaseClock, explainApart, explainWait, findClock, toleranceMs } from './clock.ts'

/** Information for a job about its round. */
export type Round = {
  storage: Storage
  config: Config
  request: ChangeRequest
  /** The time between two rounds. On several nodes, one of them does a job in this time. */
  everyMs: number
  /** Whether the clock may be trusted with deletions by age. */
  mayDelete: boolean
}

export type Job = (round: Round) => Promise<unknown>

/** What a feature does in the background. The order of features within a kind of job is that of app/features.ts. */
export type Jobs = {
  /** When the service starts, before the first round. */
  starting?: readonly Job[]
  /** First in each round, before the clock is judged. */
  reporting?: readonly Job[]
  /** In each round, whatever the clock says: these jobs look at `mayDelete` themselves. */
  tending?: readonly Job[]
  /** Deletions by age and notices of what comes, in rounds with a trusted clock. */
  deleting?: readonly Job[]
  /** Twice a second, while the clock is trusted: what is due at an instant. These jobs cost one look at an index. */
  ticking?: readonly Job[]
  /** After the last round. */
  leaving?: readonly Job[]
}

export type RoundsOptions = {
  storage: Storage
  config: Config
  log: Logger
  /** The date (2026-11-22) that the operator confirms; it counts on that day and the next. */
  confirmedDate?: string | undefined
  /** Epoch milliseconds. */
  clock?: () => number
  /** The clock that all nodes share, or undefined. */
  sharedClock?: () => Promise<number | undefined>
}

/** Time servers correct a clock by less at a time. */
const driftMs = 300_000
const [everyMs, lastRoundMs] = [60_000, 2000]
/** After a failure, ticks are left out for a moment: in an outage all of them would fail. */
const [tickMs, tickPauseMs] = [500, 5000]
const dayMs = 86_400_000

/** Runs a round once a minute. `stop` runs a last one, so that a restart loses no use of a key. */
export function startRounds(features: readonly Jobs[], options: RoundsOptions): { stop(): Promise<void> } {
  const { storage, config, log, confirmedDate, clock = Date.now } = options
  const { sharedClock = () => databaseClock(storage.db) } = options
  const all = (kind: keyof Jobs) => features.flatMap((jobs) => jobs[kind] ?? [])
  let isReported = false
  const failed = (err: unknown) => {
    // In an outage all jobs of a round fail for one reason.
    if (err instanceof AppError && isReported) return
    isReported = err instanceof AppError
    log.warn({ err }, 'housekeeping failed; retrying in a minute')
  }
  const newRound = (): Round => ({
    storage,
    config,
    request: { actor: system, now: clock(), requestId: 'housekeeping' },
    everyMs,
    mayDelete: false,
  })

  /** The last round with a trusted clock, by the clock and by the monotonic one. */
  let trusted: { now: number; atMs: number } | undefined
  let isWaiting = false

  async function mayDelete(request: ChangeRequest): Promise<boolean> {
    const { now } = request
    const shared = await sharedClock()
    if (shared !== undefined && Math.abs(now - shared) > toleranceMs) {
      // Not noted in the store: the clocks of the other nodes would seem to jump away from this one.
      if (!isWaiting) log.warn(`the clock of this node is wrong. ${explainApart(now, shared)}`)
      isWaiting = true
      return false
    }
    const expected = trusted === undefined ? Number.NaN : trusted.now + performance.now() - trusted.atMs
    const input = { isSteady: Math.abs(now - expected) <= driftMs, isConfirmed: isConfirmed(confirmedDate, now) }
    // A first verdict compares with the newest record, which may not have its number yet.
    if (trusted === undefined) await storage.settleJournal()
    const { result } = await storage.change('housekeeping.judge_clock', input, request)
    const wait = explainWait(result)
    if (wait === undefined) {
      trusted = { now, atMs: performance.now() }
      if (isWaiting) log.info('the clock is trusted again: deleting by age resumes')
    } else if (!isWaiting) log.warn(`the clock has jumped. ${wait}`)
    isWaiting = wait !== undefined
    return !isWaiting
  }

  /** A job that fails must not keep the ones after it from running. */
  async function runAll(some: readonly Job[], round: Round): Promise<void> {
    for (const job of some) await job(round).catch(failed)
  }

  async function runRound(): Promise<void> {
    const round = newRound()
    isReported = false
    await runAll(all('reporting'), round)
    round.mayDelete = await mayDelete(round.request).catch((error) => {
      failed(error)
      return false
    })
    await runAll(all('tending'), round)
    if (round.mayDelete) await runAll(all('deleting'), round)
  }

  let isTicking = false
  let pausedUntilMs = 0

  async function tick(): Promise<void> {
    if (isTicking || isWaiting || performance.now() < pausedUntilMs) return
    isTicking = true
    for (const job of all('ticking')) {
      await job(newRound()).catch((error) => {
        failed(error)
        pausedUntilMs = performance.now() + tickPauseMs
      })
    }
    isTicking = false
  }

  async function runLastRound(): Promise<void> {
    await runRound()
    await runAll(all('leaving'), newRound())
  }

  /** Until the first round, a new store would believe any clock: its newest record can come from one that has jumped. */
  const beginClock: Job = async ({ request }) => {
    if ((await findClock(storage.db)) === undefined) await mayDelete(request)
  }

  void runAll([beginClock, ...all('starting')], newRound())
  const timer = setInterval(runRound, everyMs)
  const ticks = setInterval(tick, tickMs)
  return {
    async stop() {
      clearInterval(timer)
      clearInterval(ticks)
      // Without a database this would be tried for longer than a supervisor waits for a stop.
      await Promise.race([runLastRound(), sleep(lastRoundMs, undefined, { ref: false })])
    },
  }
}

function isConfirmed(date: string | undefined, now: number): boolean {
  if (date === undefined) return false
  const sinceMs = now - Date.parse(date)
  // In any time zone.
  return sinceMs >= -0.5 * dayMs && sinceMs < 2 * dayMs
}
