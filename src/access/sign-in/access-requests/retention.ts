/** Ends and deletes requests: when they expire, some time after the decision, and with a user who is erased. */
import { emailKey } from '../../../lib/email-form.ts'
import { timestamp } from '../../../lib/instant.ts'
import { cancelMails, deleteMailsToAddresses, deleteTokensOf } from '../../../record/mails/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Transaction } from '../../../store/db/db.ts'
import type { Erased } from '../../../store/mentions.ts'
import type { ChangeRequest, Storage } from '../../../store/storage/storage.ts'
import { keptMs } from './entry.ts'
import { announce } from './journal.ts'
import * as store from './store.ts'

const [expiredAtOnce, deletedAtOnce] = [100, 1000]

/** Records that requests have expired, and deletes old ones: some at once. Returns whether there may be more. */
export async function prune(ctx: ChangeContext): Promise<boolean> {
  // Two nodes would record an end twice.
  await ctx.db.lock(['access requests'])
  const now = timestamp(ctx.now)
  const expired = await store.listExpired(ctx.db, now, expiredAtOnce)
  for (const row of expired) {
    const next: store.RequestRow = { ...row, state: 'expired', delete_at: timestamp(ctx.now + keptMs) }
    await store.updateRequest(ctx.db, next)
    await announce(ctx, 'expired', next)
  }
  const old = await store.listDeletable(ctx.db, now, deletedAtOnce)
  await remove(ctx.db, old, now)
  return expired.length === expiredAtOnce || old.length === deletedAtOnce
}

async function remove(db: Transaction, requestIds: readonly string[], now: string): Promise<void> {
  if (requestIds.length === 0) return
  await cancelMails(db, requestIds, now)
  await deleteTokensOf(db, requestIds)
  await store.deleteRequests(db, requestIds)
}

/** The rest is deleted in the next round. */
const piecesLimit = 100

export async function pruneRequests(storage: Storage, request: ChangeRequest): Promise<void> {
  for (let piece = 0; piece < piecesLimit; piece++) {
    if (!(await storage.change('access_requests.prune', undefined, request)).result) return
  }
}

/** Deletes what is kept of a user who is erased: requests with their addresses, and messages to these. */
export async function erase(ctx: ChangeContext, { user_id, email, aliases = [] }: Erased): Promise<void> {
  const addresses = [email, ...aliases].filter((one) => typeof one === 'string' && one.includes('@'))
  const email_keys = [...new Set(addresses.map((one) => emailKey(one as string)))]
  await remove(ctx.db, await store.listAbout(ctx.db, { user_id, email_keys }), timestamp(ctx.now))
  await deleteMailsToAddresses(ctx.db, email_keys)
  await store.forgetDecider(ctx.db, user_id)
}

/** For a restored store: links that were handed out end. Returns how many. */
export async function endUnconfirmed(ctx: ChangeContext): Promise<number> {
  const ids = await store.listUnconfirmed(ctx.db)
  await remove(ctx.db, ids, timestamp(ctx.now))
  return ids.length
}
