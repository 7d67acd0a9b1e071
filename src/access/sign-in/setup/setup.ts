/**
 * Creates the first administrator for the holder of a link that only the host shows. Leaves the link's token to link.ts,
 * checking and hashing the password to the route. Once there is an active administrator, nothing here has any effect.
 */

import { AppError } from '../../../core/errors.ts'
import type { Rules } from '../../../core/rules.ts'
import type { UserInput } from '../../../directory/users/service.ts'
import * as users from '../../../directory/users/service.ts'
import { timestamp } from '../../../lib/instant.ts'
import type { ChangeContext } from '../../../store/context.ts'
import type { Db } from '../../../store/db/db.ts'
import type { AuditEntry } from '../../../store/journal-entry.ts'
import type { Session } from '../../credentials/sessions/schema.ts'
import { finishSignIn } from '../sign-in/service.ts'
import * as store from './store.ts'

/** Long enough to use it the next morning. */
const linkMs = 24 * 3_600_000

/** `now` in epoch milliseconds. */
type Ruled = { db: Db; rules: Pick<Rules, 'roles'>; now: number }

/** Whether no administrator has access now. API keys do not count: they cannot sign in. */
export async function isOpen(ctx: Ruled): Promise<boolean> {
  return !(await users.hasActiveAdministrator(ctx, { now: ctx.now }))
}

/** @throws AppError `setup_done`, `setup_link_invalid` */
export async function refuseToken(ctx: Ruled, tokenHash: string): Promise<void> {
  const link = await store.findLink(ctx.db, tokenHash)
  // Second, because one commit deletes the link and creates the administrator: a used link is never called invalid.
  if (!(await isOpen(ctx))) {
    throw new AppError('setup_done', 'There is already an administrator. Sign in as that user, or ask them.')
  }
  if (link !== undefined && link.expires_at > timestamp(ctx.now)) return
  const detail =
    'This link is no longer valid: it was used, was replaced by a newer one, or is older than 24 hours. ' +
    'Run `rollbook admin link` on the host of the service to print another.'
  throw new AppError('setup_link_invalid', detail)
}

/** Creates a link that replaces the previous one; undefined if there is an administrator. */
export async function makeLink(
  ctx: ChangeContext,
  { token_hash }: { token_hash: string },
): Promise<{ isCreated: boolean }> {
  await ctx.db.lock(['setup'])
  if (!(await isOpen(ctx))) return { isCreated: false }
  const expires_at = timestamp(ctx.now + linkMs)
  await store.deleteLinks(ctx.db)
  await store.insertLink(ctx.db, { token_hash, created_at: timestamp(ctx.now), expires_at })
  ctx.record({ action: 'setup.link_created', details: { expires_at } })
  return { isCreated: true }
}

type Completion = {
  token_hash: string
  user: UserInput & { password_hash: string }
  session: { token_hash: string; address: string; user_agent: string; replaces?: string }
}

/**
 * Creates the administrator and signs them in. The link cannot be used again.
 *
 * @throws AppError `setup_done`, `setup_link_invalid`, `username_taken`, `email_taken`
 */
export async function complete(
  ctx: ChangeContext,
  { token_hash, user, session }: Completion,
): Promise<{ user_id: string; session: Session }> {
  // Two people who use the link at the same time must not both become administrators.
  await ctx.db.lock(['setup'])
  await refuseToken(ctx, token_hash)
  await store.deleteLinks(ctx.db)
  const entries: AuditEntry[] = []
  // One record for the operation: it says that the user was created, and with which values.
  const created = await users.create({ ...ctx, record: (entry) => entries.push(entry) }, { ...user, role: 'admin' })
  const { user_id } = created
  const proof = { user_id, amr: ['pwd'], credentials_version: 0, verified_hash: user.password_hash }
  const browser = { ...session, knownUsers: [], trustHashes: [] }
  const finished = await finishSignIn({ ...ctx, recordFor() {} }, { proof, browser })
  if (finished.outcome !== 'signed_in') throw new Error('The first administrator is asked for a second factor.')
  const { session_id } = finished.session
  const actor = { kind: 'user' as const, id: user_id, name: user.username ?? '', session_id }
  for (const entry of entries) ctx.record({ ...entry, actor, details: { by: 'setup_link' } })
  return { user_id, session: finished.session }
}
