/**
 * Erases the remaining data of a user: in the audit log, which keeps the id as a pseudonym; in the events; in responses of
 * webhook receivers; in the counters of sign-ins. Each change erases a batch, and the next one continues after it. eraser.ts
 * decides when.
 */

import { deleteLinksOf } from '../../directory/links/service.ts'
import * as rejected from '../../directory/provisioning/service.ts'
import * as scimDocuments from '../../directory/scim-documents/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { deleteMailsOf } from '../../record/mails/service.ts'
import { eraseAttempts } from '../../record/webhooks/service.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Placed } from '../../store/journal-entry.ts'
import type { Erased } from '../../store/mentions.ts'
import * as store from './erasure-store.ts'
import { takeOverdue } from './store.ts'

/** How many erasures one change starts. */
export const begunAtOnce = 100
/** How many texts of each kind one change blanks. */
const atOnce = 500
/** More of these, because each change scans the blank ones again. */
const answersAtOnce = 2000

/** Makes the user impossible to restore. `sweep` then erases step by step what other tables still hold. */
export async function beginErasure(ctx: ChangeContext, erased: Erased): Promise<void> {
  const { user_id, organization_id = null } = erased
  await store.insertErasure(ctx.db, user_id, timestamp(ctx.now))
  const aliases = addressesIn((await scimDocuments.findDocument(ctx.db, user_id))?.document)
  await scimDocuments.remove(ctx.db, user_id)
  await deleteMailsOf(ctx.db, user_id)
  await rejected.erase(ctx, { ...erased, aliases })
  await ctx.access.erase(ctx, { ...erased, aliases })
  await deleteLinksOf(ctx.db, user_id)
  // Recorded for the change itself, because one change may erase several users.
  recordErasure(ctx, { user_id, organization_id })
  const data = JSON.stringify({ user_id })
  ctx.emit({ type: 'user.erased', subject: user_id, owner_id: user_id, data })
}

/** Without the username, because this record stays. It explains why earlier records about the user are blank. */
function recordErasure(ctx: ChangeContext, { user_id, organization_id }: { user_id: string } & Placed): void {
  ctx.recordFor(ctx, { action: 'user.erased', target: { kind: 'user', id: user_id, organization_id } })
}

/**
 * Starts erasing users whose grace period is over. Returns how many. Undefined: another node has done so within `everyMs`.
 */
export async function beginOverdue(
  ctx: ChangeContext,
  { everyMs, mayBegin = true }: { everyMs: number; mayBegin?: boolean },
): Promise<number | undefined> {
  if (!(await claimRun(ctx, 'deleted_users.erase', everyMs))) return undefined
  // The clock is in doubt, and a user may still be restored.
  if (!mayBegin) return 0
  const users = await takeOverdue(ctx.db, timestamp(ctx.now), begunAtOnce)
  for (const user of users) await beginErasure(ctx, user)
  return users.length
}

export type Swept = Pick<store.ErasureRow, 'user_id' | 'requested_at' | 'blanked' | 'scrubbed'> & { more: boolean }

/** Blanks the next batch; undefined if the erasure is finished, or none exists. */
export async function sweep(ctx: ChangeContext, { user_id }: { user_id: string }): Promise<Swept | undefined> {
  const found = await store.findErasureForChange(ctx.db, user_id)
  if (found === undefined) return undefined
  const { db } = ctx
  const acted = await store.listActed(db, user_id, found.actor_seq, atOnce)
  const targeted = await store.listTargeted(db, user_id, found.target_seq, atOnce)
  const events = await store.listOwnEvents(db, user_id, found.event_seq, atOnce)
  const next = {
    ...found,
    actor_seq: acted.at(-1)?.seq ?? found.actor_seq,
    target_seq: targeted.at(-1)?.seq ?? found.target_seq,
    event_seq: events.at(-1)?.seq ?? found.event_seq,
  }
  await store.blankActor(db, { userId: user_id, after: found.actor_seq, upTo: next.actor_seq })
  const aliases = namesIn(targeted)
  if (aliases.length > 0) {
    await rejected.erase(ctx, { user_id, aliases })
    await ctx.access.erase(ctx, { user_id, aliases })
  }
  await store.blankTargeted(db, targeted)
  await store.blankEvents(db, events)
  const texts = [...acted, ...targeted, ...events].flatMap(({ text }) => (text === null ? [] : [text]))
  await ctx.access.forgetAddresses(db, texts.map(addressIn))
  await ctx.access.forgetFailures(ctx, user_id)
  const records = [...acted, ...targeted].filter((row) => row.text !== null || ('what' in row && row.what !== null))
  await attest(ctx, user_id, records)
  const answers = await eraseAttempts(db, user_id, answersAtOnce)
  const erased = records.length + texts.length + answers
  if (erased > 0) next.blanked = Number(found.blanked) + 1
  if (acted.length + targeted.length + events.length + erased > 0) await store.setProgress(db, next)
  const { requested_at, blanked, scrubbed } = next
  const more = answers === answersAtOnce || [acted, targeted, events].some(({ length }) => length === atOnce)
  return { user_id, requested_at, blanked: Number(blanked), scrubbed: Number(scrubbed), more }
}

/**
 * Verification accepts a blank text as erased only if a later record says that the user was erased. Records of requests
 * that were in progress at the deletion come after the first such record, and so need another.
 */
async function attest(ctx: ChangeContext, user_id: string, blanked: readonly store.Text[]): Promise<void> {
  const last = Math.max(0, ...blanked.map(({ seq }) => Number(seq)))
  if (last === 0) return
  const { seq = 0, organization_id = null } = (await store.findErased(ctx.db, user_id)) ?? {}
  if (last >= Number(seq)) recordErasure(ctx, { user_id, organization_id })
}

/** What a provider of SCIM calls the user; members have any case. */
function addressesIn(document: string | undefined): string[] {
  if (document === undefined) return []
  const { username, externalid, emails } = lowerCased(JSON.parse(document) as object)
  const listed = Array.isArray(emails) ? emails.map((one) => (one as { value?: unknown } | null)?.value) : []
  return [username, externalid, ...listed].filter((name) => typeof name === 'string')
}

function lowerCased(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name.toLowerCase(), value]))
}

const naming = ['username', 'email', 'external_id']

/** The names by which the audit knew the user: others sent the former ones, too. */
function namesIn(records: readonly { what: string | null }[]): string[] {
  const names = records.flatMap(({ what }): unknown[] => {
    if (what === null) return []
    const { name, changes = {}, details = {} } = JSON.parse(what) as Told
    const values = naming.flatMap((member) => [changes[member]?.before, changes[member]?.after])
    return [name, details.subject, details.email, ...values]
  })
  return [...new Set(names.filter((name) => typeof name === 'string' && name !== ''))] as string[]
}

type Told = {
  name?: unknown
  changes?: Record<string, { before?: unknown; after?: unknown }>
  details?: { subject?: unknown; email?: unknown }
}

function addressIn(text: string): string | undefined {
  const { address } = JSON.parse(text) as { address?: unknown }
  return typeof address === 'string' ? address : undefined
}

/** Records that the files are scrubbed, and ends finished erasures. */
export async function finish(
  ctx: ChangeContext,
  { scrubbed, finished }: { scrubbed: Pick<Swept, 'user_id' | 'blanked'>[]; finished: string[] },
): Promise<void> {
  // In the same order on all nodes, so that two of them never deadlock.
  const inOrder = scrubbed.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))
  for (const { user_id, blanked } of inOrder) await store.setScrubbed(ctx.db, user_id, blanked)
  for (const user_id of finished.toSorted()) await store.setFinished(ctx.db, user_id, timestamp(ctx.now))
}
