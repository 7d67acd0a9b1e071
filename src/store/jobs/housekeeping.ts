/** What is done now and then: writing down what was used when, forgetting what is over, replacing signing keys. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Authenticator } from '../../access/authentication/authenticate.ts'
import type { Tokens } from '../../access/tokens/tokens.ts'
import { AppError } from '../../core/errors.ts'
import { eraseRound } from '../../directory/deleted-users/eraser.ts'
import { thisNode } from '../../operations/deployment/nodes.ts'
import { pruneAudit } from '../../record/audit/retention.ts'
import { compactEvents } from '../../record/events/compact.ts'
import { pruneDeliveries } from '../../record/webhooks/dispatch-prune.ts'
import { system, timestamp } from '../context.ts'
import type { Storage } from '../storage/storage.ts'
import { databaseClock, explainApart, explainWait, toleranceMs } from './clock.ts'

/** Time servers correct a clock by less at a time. */
const driftMs = 300_000
const [everyMs, lastRoundMs] = [60_000, 2000]
const dayMs = 86_400_000
/** So long what became of the rows of an import can be looked up. */
const importsMs = 30 * dayMs
/** More in one transaction would keep others waiting. */
const atOnce = 500

function isConfirmed(date: string | undefined, now: number): boolean {
  if (date === undefined) return false
  const sinceMs = now - Date.parse(date)
  // Of any time zone.
  return sinceMs >= -0.5 * dayMs && sinceMs < 2 * dayMs
}

type Uses = ReturnType<Authenticator['takeUses']>
type Parts = {
  storage: Storage
  authenticator: Pick<Authenticator, 'takeUses'>
  tokens: Pick<Tokens, 'tend'>
  log: Logger
  idempotencyHours: number
  eventsDays: number
  auditDays: number
  /** The operator says that this is the date (2026-11-22); it counts on that day and the next. */
  confirmedDate?: string | undefined
  /** Epoch milliseconds. */
  clock?: () => number
  /** The clock that all nodes share; undefined where there is none. */
  sharedClock?: () => Promise<number | undefined>
}

/** Runs once a minute; `stop` does a last round, so that a restart forgets no use of a key. */
export function startHousekeeping(parts: Parts): { stop(): Promise<void> } {
  const { storage, authenticator, tokens, log, idempotencyHours, eventsDays, auditDays, clock = Date.now } = parts
  const { sharedClock = () => databaseClock(storage.db) } = parts
  // Not yet written down: what cannot be now is tried again in the next round.
  const keys = new Map<string, Uses['keys'][number]>()
  const sessions = new Map<string, Uses['sessions'][number]>()
  const node = thisNode(timestamp(Date.now()))
  let isReported = false
  const failed = (err: unknown) => {
    // In an outage all jobs of a round fail for one reason.
    if (err instanceof AppError && isReported) return
    isReported = err instanceof AppError
    log.warn({ err }, 'housekeeping failed; retrying in a minute')
  }
  const housekeeping = () => ({ actor: system, now: clock(), requestId: 'housekeeping' })

  /** The last round that could delete, by the clock and by the monotonic one. */
  let trusted: { now: number; atMs: number } | undefined
  let isWaiting = false

  /** Whether what is old by the clock may be deleted now. */
  async function mayDelete(request: ReturnType<typeof housekeeping>): Promise<boolean> {
    const { now } = request
    const shared = await sharedClock()
    if (shared !== undefined && Math.abs(now - shared) > toleranceMs) {
      // Not noted in the store: the clocks of the other nodes would seem to jump away from this one.
      if (!isWaiting) log.warn(`the clock of this node is wrong. ${explainApart(now, shared)}`)
      isWaiting = true
      return false
    }
    const expected = trusted === undefined ? Number.NaN : trusted.now + performance.now() - trusted.atMs
    const input = { isSteady: Math.abs(now - expected) <= driftMs, isConfirmed: isConfirmed(parts.confirmedDate, now) }
    const { result } = await storage.change('housekeeping.judge_clock', input, request)
    const wait = explainWait(result)
    if (wait === undefined) {
      trusted = { now, atMs: performance.now() }
      if (isWaiting) log.info('the clock is trusted again: deleting by age resumes')
    } else if (!isWaiting) log.warn(`the clock has jumped. ${wait}`)
    isWaiting = wait !== undefined
    return !isWaiting
  }

  /** SQLite has one process, which knows itself. */
  async function reportNode(): Promise<void> {
    if (storage.db.engine === 'postgres') await storage.change('nodes.report', node, housekeeping())
  }

  async function leave(): Promise<void> {
    await round()
    if (storage.db.engine === 'postgres') await storage.change('nodes.leave', node, housekeeping())
  }

  async function round(): Promise<void> {
    const request = housekeeping()
    const { now } = request
    const before = timestamp(now - idempotencyHours * 3_600_000)
    let mayDeleteNow = false
    isReported = false
    const jobs = [
      recordUses,
      reportNode,
      async () => {
        mayDeleteNow = await mayDelete(request)
      },
      () => tokens.tend(now, { mayEnd: mayDeleteNow }),
      // Erasures that were asked for go on, whatever the clock says.
      () => eraseRound(storage, now, everyMs, { mayBegin: mayDeleteNow }),
    ]
    const deletions = [
      () => storage.change('idempotency.prune', { before, everyMs }, request),
      () => storage.change('sessions.prune', { everyMs }, request),
      () => storage.change('revocations.prune', { everyMs }, request),
      () => storage.change('throttles.prune', { everyMs }, request),
      () => storage.change('statistics.tidy', { everyMs: 3_600_000 }, request),
      () => compactEvents(storage, eventsDays, request),
      () => pruneAudit(storage, auditDays, request),
      () => pruneDeliveries(storage, request),
      () => storage.change('imports.prune', { before: timestamp(now - importsMs), everyMs }, request),
    ]
    // One that cannot be done must not keep those behind it from being done.
    for (const job of jobs) await job().catch(failed)
    if (!mayDeleteNow) return
    for (const job of deletions) await job().catch(failed)

    async function recordUses(): Promise<void> {
      const taken = authenticator.takeUses()
      for (const use of taken.keys) keys.set(use.key_id, use)
      for (const use of taken.sessions) sessions.set(use.session_id, use)
      if (keys.size > 0) await storage.change('keys.record_use', [...keys.values()], request)
      keys.clear()
      for (const some of pieces([...sessions.values()], atOnce)) {
        await storage.change('sessions.record_use', some, request)
        for (const { session_id } of some) sessions.delete(session_id)
      }
    }
  }
  reportNode().catch(failed)
  const timer = setInterval(round, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      // Without a database this would be tried for longer than anybody waits for a stop.
      await Promise.race([leave().catch(failed), sleep(lastRoundMs, undefined, { ref: false })])
    },
  }
}

function pieces<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}
