/** The lane of an endpoint: several requests are open at once, but never two for the same user. */
import type { Logger } from 'pino'
import { system } from '../../core/actor.ts'
import type { OutageReports } from '../../core/outages.ts'
import { timestamp } from '../../lib/instant.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { createLane, type Lane, type LaneParts } from '../delivery/service.ts'
import { toCloudEvent } from '../events/service.ts'
import { type Attempt, type Claimed, listEventsBySeq, type Target, type Work } from './deliveries-store.ts'
import type { Stepped } from './dispatch-advance.ts'
import { eventGone, isSuccess, type Outcome } from './dispatch-outcomes.ts'
import { signingSecrets } from './secrets.ts'
import type { Sender } from './send.ts'
import { signedHeaders } from './send-signature.ts'

type EndpointLaneParts = Pick<LaneParts<Work, Sending, Outcome>, 'inTurn'> & {
  storage: Storage
  sender: Sender
  encryptionSecrets: readonly string[]
  /** The `source` of events. */
  source(): string
  /** How long a delivery belongs to the node that claimed it. */
  leaseMs: number
  clock(): number
  log: Logger
  outages: OutageReports
}

/** A claimed delivery with what is sent; without a body its event no longer exists. */
type Sending = { target: Target; delivery: Claimed; body: string | undefined; claimed_until: string }

const openAtOnce = 32
/** 250 a second: a backlog of 30,000 that went out at once made sign-ins six times as slow. */
const paceMs = 4

export function createEndpointLane(endpoint_id: string, parts: EndpointLaneParts): Lane<Work> {
  const { storage, inTurn, clock, log } = parts
  return createLane<Work, Sending, Outcome>({
    name: { endpoint_id },
    openAtOnce,
    paceMs,
    async advance({ outcomes, room }) {
      const input = { endpoint_id, outcomes, room, lease_ms: parts.leaseMs }
      const request = { actor: system, now: clock(), requestId: 'webhooks' }
      const { result } = await storage.change('webhooks.advance', input, request)
      return { ...result, claims: await bodiesOf(result, parts) }
    },
    async send(sending) {
      const sent = await send(sending, parts)
      if (sent !== undefined) report(sending, sent, parts.outages)
      return outcomeOf(sending, sent)
    },
    unsent: (sending) => outcomeOf(sending, undefined),
    isDue,
    inTurn,
    clock,
    log,
  })
}

async function bodiesOf(
  { target, claimed, claimed_until }: Stepped,
  { storage, source }: EndpointLaneParts,
): Promise<Sending[]> {
  if (target === undefined || claimed.length === 0) return []
  const seqs = claimed.flatMap(({ event_seq }) => (event_seq === null ? [] : [event_seq]))
  const events = seqs.length > 0 ? await listEventsBySeq(storage.db, seqs) : []
  return claimed.map((delivery) => {
    const event = events.find(({ event_id }) => event_id === delivery.event_id)
    const cloudEvent = event && { ...toCloudEvent(event, source()), timestamp: event.occurred_at }
    return { target, delivery, body: delivery.body ?? (cloudEvent && JSON.stringify(cloudEvent)), claimed_until }
  })
}

type Sent = Attempt & { retry_after_ms: number | undefined }

/** Undefined: released, without waiting for the response. */
async function send({ target, delivery, body }: Sending, parts: EndpointLaneParts): Promise<Sent | undefined> {
  const now = parts.clock()
  const attempted_at = timestamp(now)
  if (body === undefined) {
    const nothing = { response_status: null, response_body: null, retry_after_ms: undefined }
    return { attempted_at, duration_ms: 0, error: eventGone, ...nothing }
  }
  const secrets = signingSecrets(target, parts.encryptionSecrets, now)
  const headers = signedHeaders({ id: delivery.event_id, body, secrets, now })
  const begun = performance.now()
  const response = await parts.sender.send({ url: target.url, headers, body, now })
  return (
    response && {
      attempted_at,
      duration_ms: Math.round(performance.now() - begun),
      response_status: response.status,
      response_body: response.body,
      error: response.error,
      retry_after_ms: response.retryAfterMs,
    }
  )
}

/** A test that succeeds ends no outage: the receiver may still refuse events. */
function report({ target, delivery }: Sending, sent: Attempt, outages: OutageReports): void {
  if (sent.error === eventGone) return
  const { endpoint_id, url } = target
  // Not the path, which is a secret of some receivers.
  const system = {
    kind: 'webhook_receiver',
    id: endpoint_id,
    labels: { endpoint_id, server: new URL(url).host },
  } as const
  if (!isSuccess(sent)) outages.failed(system, sent.error ?? `status_${sent.response_status}`)
  else if (delivery.event_seq !== null) outages.succeeded(system)
}

function outcomeOf({ target, delivery, claimed_until }: Sending, sent: Sent | undefined): Outcome {
  const { retry_after_ms, ...attempt } = sent ?? { retry_after_ms: undefined }
  return {
    delivery_id: delivery.delivery_id,
    claimed_until,
    url: target.url,
    attempt: sent && (attempt as Attempt),
    retry_after_ms,
    spread: Math.random(),
  }
}

function isDue({ cursor, newest, paused_until, due_at, test_due_at }: Work, now: string, isFull: boolean): boolean {
  const isEventDue = due_at !== null && due_at <= now && (paused_until === null || paused_until <= now)
  const isTestDue = test_due_at !== null && test_due_at <= now
  return isEventDue || isTestDue || (newest > cursor && !isFull)
}
