/**
 * What one node sends to one endpoint: it steps while there is work, with several requests open at once, but never two for
 * the same user.
 */
import type { Logger } from 'pino'
import { timestamp } from '../../lib/instant.ts'
import { system } from '../../store/context.ts'
import type { Storage } from '../../store/storage/storage.ts'
import type { takeTurns } from '../../store/storage/turns.ts'
import { toCloudEvent } from '../events/envelope.ts'
import { type Attempt, type Claimed, listEventsBySeq, type Target, type Work } from './deliveries-store.ts'
import type { Stepped } from './dispatch-advance.ts'
import { eventGone, type Outcome } from './dispatch-outcomes.ts'
import { signingSecrets } from './secrets.ts'
import type { Sender } from './send.ts'
import { signedHeaders } from './send-signature.ts'

export type LaneParts = {
  storage: Storage
  sender: Sender
  /** The secret that seals the others. */
  encryptionSecret: string | undefined
  /** The `source` of events. */
  source(): string
  /** How long a delivery belongs to the node that claimed it. */
  leaseMs: number
  /** Limits how many lanes write at once: changes by callers come first. */
  inTurn: ReturnType<typeof takeTurns>
  clock(): number
  log: Logger
}

export type Lane = {
  /** Requests a step soon. */
  look(work: Work): void
  /** Stops claiming; open requests may finish. */
  stop(): void
  /** Resolves when nothing is open and everything is written. */
  ended(): Promise<void>
}

const openAtOnce = 32
/** The pause after a failure of the storage or of this node. */
const [retryMs, restMs] = [1000, 60_000]
/** With so much waiting already, new events cause no further step. */
const fullMs = 2000

export function createLane(endpointId: string, parts: LaneParts): Lane {
  const { storage, inTurn, clock, log } = parts
  const sending = new Set<Promise<void>>()
  let outcomes: Outcome[] = []
  let stepping: Promise<void> | undefined
  let isWanted = false
  let isStopping = false
  let restsUntil = 0
  let fullUntil = 0

  /** One step at a time; a request during a step causes another. What ends in the meantime is settled together. */
  function step(): void {
    isWanted = true
    stepping ??= stepOn()
  }

  async function stepOn(): Promise<void> {
    while (isWanted) {
      isWanted = false
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
    const input = { endpoint_id: endpointId, outcomes: settling, room, lease_ms: parts.leaseMs }
    try {
      const { result } = await inTurn({ caller: endpointId }, () =>
        storage.change('webhooks.advance', input, { actor: system, now: clock(), requestId: 'webhooks' }),
      )
      isWanted ||= result.hasMore && !isStopping
      fullUntil = result.isFull ? performance.now() + fullMs : 0
      if (result.target !== undefined && result.claimed.length > 0) await begin(result.target, result)
    } catch (err) {
      // Nothing is lost: it is settled later, or the claimed deliveries are due again when the lease ends.
      outcomes.push(...settling)
      log.warn({ err, endpoint_id: endpointId }, 'cannot store the webhook deliveries; retrying')
      setTimeout(step, retryMs).unref()
    }
  }

  async function begin(target: Target, { claimed, claimed_until }: Stepped): Promise<void> {
    const seqs = claimed.flatMap(({ event_seq }) => (event_seq === null ? [] : [event_seq]))
    const events = seqs.length > 0 ? await listEventsBySeq(storage.db, seqs) : []
    for (const delivery of claimed) {
      const event = events.find(({ event_id }) => event_id === delivery.event_id)
      const { type } = delivery
      const made = event && { ...toCloudEvent(event, parts.source()), timestamp: event.occurred_at }
      const body = delivery.body ?? (made && JSON.stringify(made))
      const sent = send(target, delivery, body)
        .catch((err: unknown) => {
          log.error({ err, endpoint_id: endpointId, type }, 'this node cannot send a webhook')
          restsUntil = clock() + restMs
          return undefined
        })
        .then((found) => {
          const { retry_after_ms, ...attempt } = found ?? { retry_after_ms: undefined }
          outcomes.push({
            delivery_id: delivery.delivery_id,
            claimed_until,
            url: target.url,
            attempt: found && (attempt as Attempt),
            retry_after_ms,
            spread: Math.random(),
          })
          sending.delete(sent)
          step()
        })
      sending.add(sent)
    }
  }

  type Sent = Attempt & { retry_after_ms: number | undefined }

  async function send(target: Target, { event_id }: Claimed, body: string | undefined): Promise<Sent | undefined> {
    const now = clock()
    const attempted_at = timestamp(now)
    if (body === undefined) {
      const nothing = { response_status: null, response_body: null, retry_after_ms: undefined }
      return { attempted_at, duration_ms: 0, error: eventGone, ...nothing }
    }
    const secrets = signingSecrets(target, parts.encryptionSecret, now)
    const headers = signedHeaders({ id: event_id, body, secrets, now })
    const begun = performance.now()
    const answer = await parts.sender.send({ url: target.url, headers, body, now })
    return (
      answer && {
        attempted_at,
        duration_ms: Math.round(performance.now() - begun),
        response_status: answer.status,
        response_body: answer.body,
        error: answer.error,
        retry_after_ms: answer.retryAfterMs,
      }
    )
  }

  return {
    look({ cursor, newest, paused_until, due_at, test_due_at }) {
      const now = timestamp(clock())
      const isDue = due_at !== null && due_at <= now && (paused_until === null || paused_until <= now)
      const isTestDue = test_due_at !== null && test_due_at <= now
      const isNew = newest > cursor && performance.now() >= fullUntil
      if (outcomes.length > 0 || isNew || isDue || isTestDue) step()
    },
    stop() {
      isStopping = true
    },
    async ended() {
      while (sending.size > 0 || stepping !== undefined) await Promise.all([...sending, stepping])
    },
  }
}
