/** Decides when to erase: at once after a purge, after the grace period by the job, and again for late writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { system } from '../../core/actor.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeRequest, Storage } from '../../store/storage/storage.ts'
import { begunAtOnce, type Swept } from './erasure.ts'
import { listUnfinished } from './erasure-store.ts'

/** Requests in progress at the deletion may write about the user for a moment, but not longer than this. */
const lateMs = 10 * 60_000
const sweptAtOnce = 1000

/** How long a caller waits for the whole erasure. */
const patienceMs = 5000

/**
 * Erases a user whose erasure has just started, and returns when it is done, or before long. The job does the rest, also
 * after a failure: the change that started it is committed.
 */
export async function eraseSoon(
  { storage, log }: { storage: Storage; log: Logger },
  user_id: string,
  now: number,
): Promise<void> {
  const erased = eraseNow(storage, user_id, now).catch((err: unknown) => {
    log.warn({ err, user_id }, 'could not erase a user immediately; retrying in a minute')
  })
  await Promise.race([erased, sleep(patienceMs, undefined, { ref: false })])
}

async function eraseNow(storage: Storage, user_id: string, now: number): Promise<void> {
  const request = { actor: system, now, requestId: 'erasure' }
  await storage.settleJournal()
  await sweepAll(storage, user_id, request)
  await storage.scrub('quick')
}

/** The job; each time on one of the nodes. */
export async function eraseRound(
  storage: Storage,
  now: number,
  everyMs: number,
  { mayBegin = true }: { mayBegin?: boolean } = {},
): Promise<void> {
  const request = { actor: system, now, requestId: 'housekeeping' }
  let begun = (await storage.change('users.begin_erasures', { everyMs, mayBegin }, request)).result
  if (begun === undefined) return
  while (begun === begunAtOnce) {
    begun = (await storage.change('users.begin_erasures', { everyMs: 0, mayBegin }, request)).result
  }
  const late = timestamp(now - lateMs)
  const users = await listUnfinished(storage.db, late, sweptAtOnce)
  if (users.length === 0) return
  await storage.settleJournal()
  const swept: Swept[] = []
  let fault: unknown
  for (const user_id of users) {
    try {
      const one = await sweepAll(storage, user_id, request)
      if (one !== undefined) swept.push(one)
    } catch (error) {
      // A failing erasure must not prevent the others.
      fault ??= error
    }
  }
  const dirty = swept.filter(({ scrubbed, blanked }) => scrubbed < blanked)
  const finished = swept.filter((one) => !dirty.includes(one) && one.requested_at <= late)
  const scrubbed = dirty.length > 0 && (await scrub(storage, request)) ? dirty : []
  await storage.change('users.finish_erasures', { scrubbed, finished: finished.map(({ user_id }) => user_id) }, request)
  if (fault !== undefined) throw fault
}

async function sweepAll(storage: Storage, user_id: string, request: ChangeRequest): Promise<Swept | undefined> {
  for (;;) {
    const { result } = await storage.change('users.sweep', { user_id }, request)
    if (!result?.more) return result
  }
}

/** Returns false if a reader still uses the old state; the next round tries again. */
async function scrub(storage: Storage, request: ChangeRequest): Promise<boolean> {
  const step = async (begins: boolean) => (await storage.change('users.clean_search_index', { begins }, request)).result
  for (let state = await step(true); state !== 'done'; ) state = await step(state === 'waiting')
  return storage.scrub('thorough')
}
