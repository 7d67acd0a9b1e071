/**
 * Sends events to the endpoints that want them, at least once, and in order per user. Leaves looking for work to
 * delivery/dispatcher.ts, sending to one endpoint to dispatch-lane.ts, and writing to dispatch-advance.ts.
 */
import type { Logger } from 'pino'
import type { Config } from '../../core/config.ts'
import type { OutageReports } from '../../core/outages.ts'
import type { Resolve } from '../../http/outgoing/lookup.ts'
import { takeTurns } from '../../store/postgres/turns.ts'
import { encryptionSecrets } from '../../store/secrets/encryption.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { type Dispatcher, startDispatching } from '../delivery/service.ts'
import { listWork, type Work } from './deliveries-store.ts'
import { createEndpointLane } from './dispatch-lane.ts'
import { createSender } from './send.ts'

export type { Dispatcher } from '../delivery/service.ts'

type DispatcherConfig = Pick<
  Config,
  | 'webhookAllowedNetworks'
  | 'webhookAllowHttp'
  | 'webhookTimeoutSeconds'
  | 'keyEncryptionSecret'
  | 'keyEncryptionSecretPrevious'
>

export type DispatcherParts = {
  storage: Storage
  config: DispatcherConfig
  source(): string
  log: Logger
  outages: OutageReports
  clock?: () => number
  /** How names are resolved. */
  resolve?: Resolve
  /** How often the store is polled without announcements. */
  everyMs?: number
}

/** How many endpoints may write at once; PostgreSQL has a connection for each. */
const writingAtOnce = 3
/** A response may come at the last moment, and its outcome must still be written. */
const leaseMarginMs = 30_000

export function startDispatcher(parts: DispatcherParts): Dispatcher {
  const { storage, config, log, outages, clock = Date.now, everyMs = 2000 } = parts
  const sender = createSender(config, parts.resolve)
  const leaseMs = config.webhookTimeoutSeconds * 1000 + leaseMarginMs
  const inTurn = takeTurns(writingAtOnce, Number.POSITIVE_INFINITY)
  const laneParts = {
    storage,
    sender,
    encryptionSecrets: encryptionSecrets(config),
    source: parts.source,
    leaseMs,
    inTurn,
    clock,
    log,
    outages,
  }
  return startDispatching<Work>({
    storage,
    what: 'webhooks',
    listWork: () => listWork(storage.db),
    idOf: ({ endpoint_id }) => endpoint_id,
    createLane: ({ endpoint_id }) => createEndpointLane(endpoint_id, laneParts),
    timesOf,
    // A receiver recognizes what comes twice, and may be slow: it does not hold up a stop.
    graceMs: 1000,
    close: () => sender.close(),
    log,
    clock,
    everyMs,
  })
}

function timesOf({ due_at, test_due_at, paused_until }: Work): string[] {
  return [
    ...(test_due_at === null ? [] : [test_due_at]),
    ...(due_at === null ? [] : [due_at > (paused_until ?? '') ? due_at : (paused_until as string)]),
  ]
}
