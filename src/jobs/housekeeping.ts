/** What is done now and then: writing down when keys were used, forgetting old kept answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { system, timestamp } from '../context.ts'
import type { Authenticator } from '../http/authenticate.ts'
import type { Storage } from '../storage/storage.ts'

const [everyMs, lastRoundMs] = [60_000, 2000]

type KeyUse = ReturnType<Authenticator['takeUses']>[number]
type Parts = { storage: Storage; authenticator: Authenticator; log: Logger; idempotencyHours: number }

/** Runs once a minute; `stop` does a last round, so that a restart forgets no use of a key. */
export function startHousekeeping({ storage, authenticator, log, idempotencyHours }: Parts): { stop(): Promise<void> } {
  // Not yet written down: what cannot be now is tried again in the next round.
  const uses = new Map<string, KeyUse>()

  async function round(): Promise<void> {
    const now = Date.now()
    const request = { actor: system, now, requestId: 'housekeeping' }
    try {
      for (const use of authenticator.takeUses()) uses.set(use.key_id, use)
      if (uses.size > 0) await storage.change('keys.record_use', [...uses.values()], request)
      uses.clear()
      const before = timestamp(now - idempotencyHours * 3_600_000)
      await storage.change('idempotency.prune', { before, everyMs }, request)
    } catch (err) {
      log.warn({ err }, 'housekeeping failed; it is tried again in a minute')
    }
  }
  const timer = setInterval(round, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      // Without a database this would be tried for longer than anybody waits for a stop.
      await Promise.race([round(), sleep(lastRoundMs, undefined, { ref: false })])
    },
  }
}
