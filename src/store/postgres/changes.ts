import { AppError, fromRefusal } from '../../core/errors.ts'
import { uuidv7Maker } from '../../lib/uuidv7.ts'
import type { Announcement } from '../context.ts'
import type { Primary } from '../db/postgres/primary.ts'
import type { LiveRules } from '../rules/live-rules.ts'
import type { ChangeLoad } from '../storage/load.ts'
import type { ChangeHandlers } from '../storage/registry.ts'
import type { Storage } from '../storage/storage.ts'
import { OutdatedRules, runTransaction } from './change.ts'
import { withClient } from './connections.ts'
import type { Patience } from './patience.ts'
import { shareTransactions } from './share-transactions.ts'
import { runShared } from './shared-transaction.ts'

type Parts = {
  handlers: ChangeHandlers
  primary: Primary
  schema: string
  /** Where revocations are announced to other nodes. */
  channel: string
  rules: LiveRules
  /** Reads the stored rules again. */
  refreshRules(): Promise<void>
  withoutJournal?: boolean | undefined
  /** How many connections changes share. */
  poolSize: number
  /** How many changes may run or wait. */
  writeQueue: number
  patience: Patience
  isUp(): boolean
  /** Called with the announcements of a committed change, before it is acknowledged. */
  onAnnouncement(event: Announcement): void
}

export type PostgresChanges = {
  change: Storage['change']
  load(): ChangeLoad
  /** Accepted changes are still made, or refused after the time limit. */
  close(): Promise<void>
}

/**
 * While some transactions wait for the disk, the next ones are prepared. With more, each would contain fewer changes.
 */
const sharedTransactions = 4

/** Each further one means that rules have changed again in the milliseconds since they were read. */
const triesWithOutdatedRules = 10

/** Runs each change in a transaction, shared with others where its command allows that. */
export function postgresChanges(parts: Parts): PostgresChanges {
  const { handlers, primary, schema, channel, rules: live, withoutJournal, poolSize, writeQueue, patience } = parts
  const surroundings = () => {
    const { rules, version: rulesVersion } = live.current()
    return { handlers, schema, channel, rules, rulesVersion, withoutJournal }
  }
  const running = new Set<Promise<unknown>>()
  const idsFor = idMaker()
  let refused = 0
  const share = shareTransactions(Math.max(1, Math.min(sharedTransactions, poolSize >> 1)), async (jobs) =>
    parts.isUp() ? withClient(primary, (client) => runShared(client, { ...surroundings(), jobs })) : [],
  )

  const change: Storage['change'] = async (
    name,
    input,
    { actor, now, requestId, origin, dryRun = false, responseKey },
  ) => {
    if (running.size >= writeQueue) {
      refused++
      throw new AppError('overloaded', 'Too many changes at once; nothing was changed. Try again.')
    }
    const job = { name, input, actor, now, requestId, origin, dryRun, ...(responseKey && { responseKey }) }
    const ids = idsFor(now)
    const runOnce = () =>
      withClient(primary, (client) => runTransaction(client, { ...surroundings(), job, newId: ids() }))
    const work = async () => {
      for (let tries = 0; tries < triesWithOutdatedRules; tries++) {
        try {
          return await runOnce()
        } catch (error) {
          if (!(error instanceof OutdatedRules)) throw error
          await parts.refreshRules()
        }
      }
      throw new AppError('overloaded', 'Roles change too often at the moment; nothing was changed. Try again.')
    }
    const since = performance.now()
    const alone = () => patience(work, since)
    // A dry run is always undone, and a stored response needs a savepoint.
    const mayShare = !dryRun && responseKey === undefined
    const keys = mayShare ? handlers.sharing[name]?.(input as never) : undefined
    const pending = keys === undefined ? alone() : share({ job, newId: ids() }, keys).then((one) => one ?? alone())
    running.add(pending)
    try {
      const { outcome, announced } = await pending
      announced.forEach(parts.onAnnouncement)
      if ('result' in outcome) return { result: outcome.result as never, replayed: outcome.replayed ?? false }
      const refusal = fromRefusal(outcome.refusal)
      if (outcome.replayed) refusal.headers['idempotency-replayed'] = 'true'
      throw refusal
    } finally {
      running.delete(pending)
    }
  }

  return {
    change,
    load: () => ({ waiting: running.size, limit: writeQueue, refused }),
    async close() {
      await Promise.allSettled(running)
    },
  }
}

/** Ids are created before the first try, so that a retry uses the same ones. */
function idMaker() {
  const newId = uuidv7Maker()
  return (now: number) => {
    const createdIds: string[] = []
    return () => {
      let next = 0
      return () => (createdIds[next++] ??= newId(now))
    }
  }
}
