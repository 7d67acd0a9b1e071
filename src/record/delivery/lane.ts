/**
 * The sending lane of one node to one receiver, a webhook or the mail server: it steps while there is work, with several messages
 * open at once. A step settles the last outcomes and claims what is due, in one transaction. Leaves what a step does and how
 * a message is sent to its caller.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { timestamp } from '../../lib/instant.ts'
import type { takeTurns } from '../../store/postgres/turns.ts'

export type Step<Claim> = {
  claims: Claim[]
  /** There is more to do immediately. */
  hasMore: boolean
  /** So much is due that new work has to wait. */
  isFull: boolean
}

export type LaneParts<Work, Claim, Outcome> = {
  /** Names the lane in the log, and among those that take turns. */
  name: Readonly<Record<string, string>>
  openAtOnce: number
  /** The shortest time between two steps: what ends meanwhile is settled together. */
  gapMs?: number
  /** How long each message keeps the next step waiting, so that a backlog leaves the node time for requests. */
  paceMs?: number
  /** Settles the outcomes and claims at most `room` messages. What it rejects with is retried, with the same outcomes. */
  advance(step: { outcomes: Outcome[]; room: number }): Promise<Step<Claim>>
  /** Sends one. It rejects if this node cannot send. */
  send(claim: Claim): Promise<Outcome>
  /** The outcome of a claim that this node did not send. */
  unsent(claim: Claim): Outcome
  /** Whether this work needs a step now. */
  isDue(work: Work, now: string, isFull: boolean): boolean
  /** Limits how many lanes write at once: changes by callers come first. */
  inTurn: ReturnType<typeof takeTurns>
  clock(): number
  log: Logger
}

export type Lane<Work> = {
  /** Requests a step soon. */
  look(work: Work): void
  /** Stops claiming; open messages may finish. */
  stop(): void
  /** Resolves when nothing is open and everything is written. */
  whenIdle(): Promise<void>
}

/** The pause after a failure of the storage or of this node. */
const [retryMs, restMs] = [1000, 60_000]
/** With this much waiting already, new work triggers no further step. */
const fullMs = 2000

export function createLane<Work, Claim, Outcome>(parts: LaneParts<Work, Claim, Outcome>): Lane<Work> {
  const { name, openAtOnce, gapMs = 0, paceMs = 0, inTurn, clock, log } = parts
  const caller = Object.values(name).join(' ')
  const sending = new Set<Promise<void>>()
  let outcomes: Outcome[] = []
  let stepping: Promise<void> | undefined
  let isWanted = false
  let isStopping = false
  let restsUntil = 0
  let fullUntil = 0
  let steppedAt = Number.NEGATIVE_INFINITY
  let begun = 0

  /** One step at a time; a request during a step causes another. What ends in the meantime is settled together. */
  function step(): void {
    isWanted = true
    stepping ??= stepOn()
  }

  async function stepOn(): Promise<void> {
    while (isWanted) {
      const wait = steppedAt + Math.max(gapMs, begun * paceMs) - performance.now()
      if (wait > 0 && !isStopping) await sleep(wait)
      // Several may end in one turn.
      else await nextTurn()
      isWanted = false
      steppedAt = performance.now()
      await stepOnce()
    }
    // Clear this synchronously, or a step requested meanwhile is lost.
    stepping = undefined
  }

  async function stepOnce(): Promise<void> {
    const settling = outcomes
    outcomes = []
    const isResting = isStopping || clock() < restsUntil
    const room = isResting ? 0 : openAtOnce - sending.size
    if (isResting && settling.length === 0) return
    try {
      const result = await inTurn({ caller }, () => parts.advance({ outcomes: settling, room }))
      isWanted ||= result.hasMore && !isStopping
      fullUntil = result.isFull ? performance.now() + fullMs : 0
      begun = result.claims.length
      for (const claim of result.claims) startSending(claim)
    } catch (err) {
      // Nothing is lost: it is settled later, or what was claimed is due again when the lease ends.
      outcomes.push(...settling)
      log.warn({ err, ...name }, 'cannot store the deliveries; retrying')
      setTimeout(step, retryMs).unref()
    }
  }

  function startSending(claim: Claim): void {
    const sent = parts
      .send(claim)
      .catch((err: unknown) => {
        log.error({ err, ...name }, 'this node cannot send')
        restsUntil = clock() + restMs
        return parts.unsent(claim)
      })
      .then((outcome) => {
        outcomes.push(outcome)
        sending.delete(sent)
        step()
      })
    sending.add(sent)
  }

  return {
    look(work) {
      const isFull = performance.now() < fullUntil
      if (outcomes.length > 0 || parts.isDue(work, timestamp(clock()), isFull)) step()
    },
    stop() {
      isStopping = true
    },
    async whenIdle() {
      while (sending.size > 0 || stepping !== undefined) await Promise.all([...sending, stepping])
    },
  }
}
