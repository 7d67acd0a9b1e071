/**
 * What must change in a store that comes from elsewhere, before it is served: a backup, a dump, a server set back to an earlier
 * time. Other systems have seen what happened after the backup, and got what still waits in it.
 */
import { deleteAllChallenges } from '../../access/credentials/challenges/service.ts'
import { countSessions, deleteAllTrusted } from '../../access/credentials/sessions/service.ts'
import { endUnconfirmed } from '../../access/sign-in/access-requests/service.ts'
import { deleteAllLogins } from '../../access/sign-in/cli-login/service.ts'
import { deleteAllPending } from '../../access/sign-in/company-sign-in/service.ts'
import { closeAllRequests } from '../../access/sign-in/links/service.ts'
import { deleteLinks } from '../../access/sign-in/setup/service.ts'
import { system } from '../../core/actor.ts'
import { endHandedOut } from '../../directory/links/service.ts'
import { endSetupLinks } from '../../directory/organizations/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { skippedNumbers, startNewHistory } from '../../record/events/service.ts'
import { holdWaiting } from '../../record/mails/service.ts'
import { skipNumbers } from '../../record/revocations/service.ts'
import { giveUpWaiting } from '../../record/webhooks/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import { isServer } from '../../store/db/dialect.ts'
import { sql } from '../../store/db/sql.ts'
import type { Origin } from '../../store/journal-entry.ts'
import type { Storage } from '../../store/storage/storage.ts'
import { markTrial } from '../../store/trial.ts'

export type Ended = {
  sessions: number
  trusted_browsers: number
  /** Links that were handed out. */
  links: number
  /** Requests for a new password, or for access, that were not confirmed. */
  requests: number
  mails: number
  deliveries: number
}

/** How many sessions end in one transaction. */
const sessionsAtOnce = 1000

/** Everything but the sessions, of which there may be many. Running it again does no harm. */
export async function leaveOrigin(ctx: ChangeContext, { isTrial }: { isTrial: boolean }): Promise<Ended> {
  const { db } = ctx
  await markTrial(db, isTrial)
  const newest = await startNewHistory(ctx)
  const deliveries = await giveUpWaiting(ctx, newest)
  await skipNumbers(db, skippedNumbers)
  // Lists of users have an ETag of this count.
  if (isServer(db)) await db.run(sql`UPDATE user_changes SET count = count + ${skippedNumbers}`)
  const mails = await holdWaiting(db)
  const links = (await endHandedOut(db, timestamp(ctx.now))) + (await endSetupLinks(ctx))
  await deleteLinks(db)
  const requests = (await closeAllRequests(db)) + (await endUnconfirmed(ctx))
  await deleteAllChallenges(db)
  await deleteAllLogins(db)
  await deleteAllPending(db)
  // Users may have signed out or been disabled since the backup: an old cookie must not work again.
  const trusted_browsers = await deleteAllTrusted(db)
  return { sessions: await countSessions(db), trusted_browsers, links, requests, mails, deliveries }
}

export async function recordRestore(
  ctx: ChangeContext,
  { isTrial, ended }: { isTrial: boolean; ended: Ended },
): Promise<void> {
  const { sessions, trusted_browsers, links, requests, mails, deliveries } = ended
  ctx.record({
    action: 'store.restored',
    details: {
      sessions_ended: sessions,
      trusted_browsers_ended: trusted_browsers,
      links_ended: links,
      requests_dropped: requests,
      mails_held: mails,
      deliveries_dropped: deliveries,
      ...(isTrial && { trial: true }),
    },
  })
}

type Options = { isTrial: boolean; dryRun?: boolean; origin: Origin | undefined; now: number }

/** Makes all of these changes. If it is interrupted, run it again. */
export async function takeOver(
  storage: Pick<Storage, 'change' | 'settleJournal'>,
  { isTrial, dryRun = false, origin, now }: Options,
): Promise<Ended> {
  const request = { actor: system, now, requestId: 'restored', origin }
  // Events without a number yet are of before.
  await storage.settleJournal()
  const { result: ended } = await storage.change('store.leave_origin', { isTrial }, { ...request, dryRun })
  if (dryRun) return ended
  while ((await storage.change('store.end_sessions', { limit: sessionsAtOnce }, request)).result) {
    // Some are left.
  }
  await storage.change('store.record_restore', { isTrial, ended }, request)
  await storage.settleJournal()
  return ended
}
