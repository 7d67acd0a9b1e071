/** Writes what the verdicts on the rows of an import decide, in one change. */
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import { holdAddresses } from '../../../record/mails/service.ts'
import type { ChangeContext } from '../../../store/context.ts'
import { isServer } from '../../../store/db/dialect.ts'
import { holdDefinitions } from '../../attributes/service.ts'
import { handOutLater } from '../../links/service.ts'
import { placesFor } from '../../search/service.ts'
import { lockedNames } from '../names.ts'
import { changeOf, creation } from '../rows.ts'
import * as store from '../store.ts'
import { insert, insertMany, write as writeUser } from '../write.ts'
import { type Arrival, groupKeysOf, namesOf, type RowOptions } from './arrival.ts'
import { lockedDirectory } from './directory.ts'
import type { FactorWriter } from './factors.ts'
import { type GroupWriter, memberChanges } from './groups.ts'
import { judgeRows } from './judge.ts'
import type { Verdict, Write } from './verdict.ts'

/**
 * Decides and writes; the verdicts are in the order of the rows. `details` go into the audit record of each change.
 *
 * @throws AppError `overloaded` if a concurrent change took a name; nothing is written then
 * @throws NoRoom, on SQLite, before anything is written
 */
export async function writeRows(
  ctx: ChangeContext,
  arrivals: readonly Arrival[],
  {
    groups,
    factors,
    ...options
  }: RowOptions & { groups: GroupWriter; factors: FactorWriter; details: Record<string, unknown> },
): Promise<Verdict[]> {
  const names = namesOf(arrivals)
  await ctx.db.lock(lockedNames([...names.username_keys, ...names.email_keys]))
  await holdGroups(ctx, arrivals, groups)
  const judge = { ...ctx, definitions: await holdDefinitions(ctx.db) }
  const { verdicts, writes } = await judgeRows(judge, lockedDirectory(ctx, groups, factors), arrivals, options)
  try {
    await writeAll(ctx, writes, options.details)
  } catch (error) {
    // Names that were free when judged: on PostgreSQL another change can take them first.
    if (!(error instanceof AppError) || error.status !== 409) throw error
    throw new AppError('overloaded', 'Another request took a name of these rows at the same moment. Try again.', {
      cause: error,
    })
  }
  for (const { found, next, factors: imported } of writes) {
    if (imported === undefined) continue
    await factors.add(ctx, next, { ...imported, isNew: found === undefined, details: options.details })
  }
  await groups.write(memberChanges(writes), options.details)
  return verdicts
}

/** Locks the groups before the users, as every change of a group does. */
async function holdGroups(
  { db, actor }: Pick<ChangeContext, 'db' | 'actor'>,
  arrivals: readonly Arrival[],
  groups: GroupWriter,
): Promise<void> {
  const name_keys = groupKeysOf(arrivals)
  if (name_keys === undefined || !isServer(db)) return
  const users = await store.findUsersByNames(db, scopeOf(actor), namesOf(arrivals))
  await groups.lock({ name_keys, user_ids: users.map(({ user_id }) => user_id) })
}

async function writeAll(ctx: ChangeContext, writes: readonly Write[], details: Record<string, unknown>): Promise<void> {
  // In one order, as every change of several addresses does.
  await holdAddresses(
    ctx.db,
    writes.flatMap(({ isInvited, next }) => (isInvited && next.email_key !== null ? [next.email_key] : [])),
  )
  if (isServer(ctx.db)) return writeTogether(ctx, writes, details)
  const places = await placesFor(
    ctx.db,
    writes.flatMap(({ found, next: { user_id }, isMade = false }) =>
      found === undefined ? [{ user_id, isMade }] : [],
    ),
  )
  for (const write of writes) {
    const { found, next, isMade = false } = write
    if (found === undefined) await insert(ctx, next, { type: 'user.created', isMade, places })
    else if (found !== next) await writeUser(ctx, found, next)
    if (found !== next) record(ctx, write, details, await inviteIfAsked(ctx, write))
  }
}

async function inviteIfAsked(ctx: ChangeContext, { next, isInvited = false }: Write) {
  return isInvited ? handOutLater(ctx, next) : undefined
}

function record(
  ctx: ChangeContext,
  { found, next }: Write,
  details: Record<string, unknown>,
  invitation: Awaited<ReturnType<typeof inviteIfAsked>>,
): void {
  const entry = found === undefined ? creation(next) : changeOf(found, next)
  ctx.recordFor(ctx, { ...entry, details: { ...details, ...(invitation && { invitation }) } })
}

/** Writes consecutive new users with one statement. */
async function writeTogether(ctx: ChangeContext, writes: readonly Write[], details: Record<string, unknown>) {
  let arriving: store.UserRow[] = []
  const flush = async () => {
    if (arriving.length > 0) await insertMany(ctx, arriving)
    arriving = []
  }
  const changed = writes.filter(({ found, next }) => found !== next)
  for (const { found, next } of changed) {
    if (found === undefined) arriving.push(next)
    else {
      // In the order of the rows: one may take a name that an earlier one gave up.
      await flush()
      await writeUser(ctx, found, next)
    }
  }
  await flush()
  // Concurrently, so that their statements are sent together. Waits for all, even if one fails.
  const invitations = await Promise.allSettled(changed.map((write) => inviteIfAsked(ctx, write)))
  for (const [n, one] of invitations.entries()) {
    if (one.status === 'rejected') throw one.reason
    record(ctx, changed[n] as Write, details, one.value)
  }
}
