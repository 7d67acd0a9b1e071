/**
 * Changes many users at once, after a verdict on each. The verdicts apply the rules of users/service.ts to rows that were
 * read before, so a dry run, which only reads, gives the same ones.
 */

import { AppError } from '../../core/errors.ts'
import type { Rules } from '../../core/rules.ts'
import { scopeOf } from '../../core/scope.ts'
import type { ValuesPatch } from '../../directory/attributes/schema.ts'
import {
  attributeTaken,
  type Definitions,
  findOwnersOfValues,
  holdDefinitions,
  readDefinitions,
  readValues,
  refuseUniqueForMany,
  uniqueEntries,
} from '../../directory/attributes/service.ts'
import { type Handed, hasLiveLink, refuseUnsendable } from '../../directory/links/service.ts'
import { findManager } from '../../directory/provisioning/service.ts'
import * as users from '../../directory/users/service.ts'
import {
  type AccountPart,
  afterMove,
  changedParts,
  changedRow,
  changeOf,
  type FindWithRole,
  findWithRole,
  findWithRoleAlone,
  holdPasswordAdmins,
  inviteFound,
  type PasswordAdmins,
  refuseLosingLastAdmin,
  refuseLosingPasswordAdmin,
  refuseManaged,
  refuseOutranked,
  refuseOwnAccount,
  refuseUngrantableRole,
  refuseUninvitable,
  write,
} from '../../directory/users/service.ts'
import { apart } from '../../record/journal/service.ts'
import { holdAddresses } from '../../record/mails/service.ts'
import type { ChangeContext, Context, UserAccess } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { removeFound } from '../deleted-users/service.ts'
import { getForChange as getGroupForChange } from '../groups/service.ts'
import { matching, type ScopedFilters } from '../users-list/service.ts'
import { changeMemberships, isMembership, judgeMemberships, type MembershipAction } from './memberships.ts'
import type { Judged, ManyVerdict } from './verdicts.ts'

export type ManyAction =
  | { action: 'activate' | 'deactivate' | 'end_sessions' }
  | { action: 'set_role'; role: string }
  /** `isForOne`: one user is named, so that unique values are possible. */
  | { action: 'set_attribute'; values: ValuesPatch; isForOne: boolean }
  | { action: 'set_locale'; locale: string | null }
  | { action: 'set_expires_at'; expires_at: string | null }
  | { action: 'set_organization'; organization_id: string | null }
  | { action: 'delete'; graceDays: number }
  | { action: 'invite'; send: boolean; resend: boolean }
  | MembershipAction

/** A batch of users that are changed together. */
export type Batch = {
  action: ManyAction
  user_ids: readonly string[]
  /** Only users who existed at that time and still match when their turn comes; others are skipped. */
  only?: { filters: ScopedFilters; createdUntil: string }
  /** Also what an identity provider manages. */
  override?: boolean
  /** How many administrators earlier batches would have removed, in a dry run. */
  administratorsGone?: number
  /** For invitations: the hash of a token for each user, whose link is returned if it is not sent. */
  token_hashes?: Readonly<Record<string, string>>
}

type Caller = Pick<Context, 'actor' | 'now'> & { rules: Pick<Rules, 'roles' | 'sendsMail' | 'disabledOrganizations'> }
type Step = { found: users.UserRow; next: users.UserRow | undefined }

export type BatchOfCaller = Batch & { caller: Caller }

type Finds = Pick<UserAccess, 'findUsersToSignOut' | 'findUsersWithWays'>

/** Returns what would become of each user, without changing any. */
export async function judgeMany(db: Db, { caller, ...batch }: BatchOfCaller, finds: Finds): Promise<Judged> {
  const { action, administratorsGone: goneBefore = 0 } = batch
  if (isMembership(action))
    return judgeMemberships({ ...caller, db }, await select({ ...caller, db }, batch), action, goneBefore)
  const search = {
    db,
    findWithRole: findWithRole(db),
    ...finds,
    passwordAdmins: { db, lock: async () => {} },
    readDefinitions: () => readDefinitions(db),
  }
  const { verdicts, administratorsGone } = await judge(caller, await select({ ...caller, db }, batch), batch, search)
  return { verdicts, administratorsGone }
}

/** Changes the users who may be changed, each with an audit record and an event. */
export async function changeMany(ctx: ChangeContext, batch: Batch): Promise<Judged> {
  const { action } = batch
  if (isMembership(action)) {
    // The group is locked before its users, as in every change of a group.
    await getGroupForChange(ctx, action.group_id, undefined)
    return changeMemberships(ctx, await select(ctx, batch, { forChange: true }), action)
  }
  const rows = await select(ctx, batch, { forChange: true })
  if (batch.action.action === 'invite') {
    await holdAddresses(
      ctx.db,
      rows.flatMap(({ found }) => found?.email_key ?? []),
    )
  }
  const search: Search = {
    db: ctx.db,
    findWithRole: findWithRoleAlone(ctx.db),
    passwordAdmins: { db: ctx.db, lock: () => holdPasswordAdmins(ctx.db) },
    readDefinitions: () => holdDefinitions(ctx.db),
    findUsersToSignOut: ctx.access.findUsersToSignOut,
    findUsersWithWays: ctx.access.findUsersWithWays,
  }
  const { verdicts, administratorsGone, steps } = await judge(ctx, rows, batch, search)
  const works = steps.map((step) => ({ step, ...apart(ctx) }))
  // Concurrently, so that on PostgreSQL the statements for all users are sent together. Waits for all, even if one
  // fails, so that none is sent after the transaction.
  const done = await Promise.allSettled(works.map(({ step, ctx }) => apply(ctx, batch, step)))
  for (const one of done) if (one.status === 'rejected') throw one.reason
  for (const { flush: tell } of works) tell()
  const handed = new Map(
    done.flatMap((one) => (one.status === 'fulfilled' && one.value ? [[one.value.user_id, one.value]] : [])),
  )
  return { verdicts: verdicts.map((verdict) => withLink(verdict, handed.get(verdict.user_id))), administratorsGone }
}

function withLink(verdict: ManyVerdict, handed: Handed | undefined): ManyVerdict {
  if (handed?.shown !== true || verdict.verdict !== 'changed') return verdict
  return { ...verdict, shown: true, expires_at: handed.expires_at }
}

/** Users in the order of `user_ids`; `found` is undefined for an unknown id. */
async function select(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  { user_ids, only }: Batch,
  { forChange = false } = {},
): Promise<{ user_id: string; found: users.UserRow | undefined }[]> {
  const names = { user_ids: [...user_ids], username_keys: [], email_keys: [], external_ids: [] }
  const rows = new Map(
    (await users.findUsersByNames(db, scopeOf(actor), names, { forChange })).map((row) => [row.user_id, row]),
  )
  const selection = user_ids.map((user_id) => ({ user_id, found: rows.get(user_id) }))
  if (only === undefined) return selection
  // Again, with the rows locked: they may have changed since they were found.
  const matches = await stillMatching(db, only.filters, [...rows.keys()])
  return selection.filter(({ user_id, found }) => {
    return found !== undefined && found.created_at <= only.createdUntil && matches.has(user_id)
  })
}

async function stillMatching(db: Db, filters: ScopedFilters, userIds: string[]): Promise<Set<string>> {
  if (Object.keys(filters).length === 0 || userIds.length === 0) return new Set(userIds)
  const named = filters.user_ids
  const user_ids = named === undefined ? userIds : userIds.filter((id) => named.includes(id))
  return new Set(await matching(db, { filters: { ...filters, user_ids }, limit: userIds.length }))
}

/** Facts besides the rows on which the verdicts depend. */
type Search = {
  db: Db
  findWithRole: FindWithRole
  passwordAdmins: PasswordAdmins
  readDefinitions: () => Promise<Definitions>
} & Finds

async function judge(
  ctx: Caller,
  selection: Awaited<ReturnType<typeof select>>,
  { action, ...batch }: Batch,
  { db, ...search }: Search,
) {
  const verdicts: ManyVerdict[] = []
  const steps: Step[] = []
  /** Administrators who lose the role: the verdicts are written later, or never. */
  const deleted = new Map<string, users.UserRow | undefined>()
  const signedIn =
    action.action === 'end_sessions'
      ? await search.findUsersToSignOut(
          db,
          selection.map(({ user_id }) => user_id),
        )
      : undefined
  const definitions = action.action === 'set_attribute' ? await search.readDefinitions() : undefined
  const faults = new Map<string, string | undefined>()
  for (const { user_id, found } of selection) {
    try {
      if (found === undefined) throw new AppError('user_not_found', 'There is no user with this id.')
      const { username } = found
      refuseOutranked(ctx, found)
      const next = nextOf({ ...ctx, faults, ...(definitions && { definitions }) }, found, action)
      refuseOwnAccount(ctx, user_id, next === undefined ? partsOf(action) : changedParts(found, next))
      const isInvited =
        action.action === 'invite' && !(await isToInvite({ ...ctx, db, find: search.findUsersWithWays }, found, action))
      if (next === found || signedIn?.has(user_id) === false || isInvited) {
        verdicts.push({ user_id, username, verdict: 'unchanged' })
        continue
      }
      if (definitions && next && action.action === 'set_attribute' && action.isForOne) {
        await refuseTakenValues(db, definitions, next)
      }
      const { override } = batch
      const find = findManager(db)
      await refuseManaged(ctx, { found, next: next ?? found, find, override, beside: managedBeside(action) })
      if (next !== undefined && next.role !== found.role) refuseUngrantableRole(ctx, next.role)
      if (action.action !== 'end_sessions' && action.action !== 'invite') {
        const loss = {
          found,
          next: next && (await afterMove(db, found, next)),
          find: search.findWithRole,
          pending: deleted,
          alsoGone: batch.administratorsGone ?? 0,
        }
        const isLoss = await refuseLosingLastAdmin(ctx, loss)
        await refuseLosingPasswordAdmin(ctx, search.passwordAdmins, { found, next, pending: deleted })
        if (isLoss) deleted.set(user_id, next)
      }
      steps.push({ found, next })
      verdicts.push({ user_id, username, verdict: 'changed', ...formerValues(found, action) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { code, message: detail } = error
      verdicts.push({ user_id, username: found?.username ?? null, verdict: 'refused', code, detail })
    }
  }
  return { verdicts, steps, administratorsGone: deleted.size }
}

/**
 * Whether the user is to get an invitation: who has one that works gets another only if that is asked for, so that a
 * request that was cut off can be repeated.
 *
 * @throws AppError `user_not_invitable`, `password_refused`, `too_many_mails`
 */
async function isToInvite(
  ctx: Caller & { db: Db; find: Finds['findUsersWithWays'] },
  found: users.UserRow,
  { send, resend }: Extract<ManyAction, { action: 'invite' }>,
): Promise<boolean> {
  await refuseUninvitable(ctx, found)
  if (!resend && (await hasLiveLink(ctx, found.user_id, 'invitation'))) return false
  await refuseUnsendable(ctx, found, send)
  return true
}

/** The user after the action; undefined if the action does not change the row. */
function nextOf(
  ctx: Caller & { definitions?: Definitions; faults: Map<string, string | undefined> },
  found: users.UserRow,
  action: ManyAction,
): users.UserRow | undefined {
  switch (action.action) {
    case 'set_attribute':
      // For each user, because a definition may have changed since the request began.
      if (!action.isForOne) refuseUniqueForMany(ctx.definitions, action.values)
      return changedRow(ctx, found, { attributes: { by: 'admin', values: action.values, faults: ctx.faults } })
    case 'set_locale':
      return changedRow(ctx, found, { locale: action.locale })
    case 'set_expires_at':
      return changedRow(ctx, found, { expires_at: action.expires_at })
    case 'set_organization':
      return changedRow(ctx, found, { organization_id: action.organization_id })
    case 'activate':
      return changedRow(ctx, found, { active: true })
    case 'deactivate':
      return changedRow(ctx, found, { active: false })
    case 'set_role':
      return changedRow(ctx, found, { role: action.role })
    default:
      return undefined
  }
}

/** @throws AppError `attribute_taken` */
async function refuseTakenValues(db: Db, definitions: Definitions, next: users.UserRow): Promise<void> {
  const owners = await findOwnersOfValues(db, uniqueEntries(definitions, next))
  const taken = [...owners].filter(([, owner]) => owner !== next.user_id)
  if (taken.length > 0) throw attributeTaken(taken.map(([name]) => name.slice(0, name.indexOf('\n'))))
}

/** What a change of values replaces, so that it can be undone. */
function formerValues(
  found: users.UserRow,
  action: ManyAction,
): Pick<Extract<ManyVerdict, { before: object }>, 'before'> | undefined {
  if (action.action === 'set_locale') return { before: { locale: found.locale } }
  if (action.action === 'set_expires_at') return { before: { expires_at: found.access_ends_at } }
  if (action.action === 'set_organization') return { before: { organization_id: found.organization_id } }
  if (action.action !== 'set_attribute') return undefined
  const values = readValues(found.attributes)
  const names = Object.keys(action.values)
  return { before: { attributes: Object.fromEntries(names.map((name) => [name, values[name] ?? null])) } }
}

/** What of a managed user an action changes beside the row. */
function managedBeside({ action }: ManyAction): string[] {
  if (action === 'delete') return ['active']
  return action === 'invite' ? ['invitation'] : []
}

/** What of an account an action changes beside the row. */
function partsOf({ action }: ManyAction): AccountPart[] {
  if (action === 'delete') return ['deletion']
  return action === 'invite' ? ['links'] : ['sessions']
}

async function apply(
  ctx: ChangeContext,
  { action, token_hashes }: Batch,
  { found, next }: Step,
): Promise<Handed | undefined> {
  if (action.action === 'invite') {
    return inviteFound(ctx, found, { send: action.send, show: false, token_hash: token_hashes?.[found.user_id] })
  }
  if (next !== undefined) {
    ctx.record(changeOf(found, next))
    await write(ctx, found, next)
  } else if (action.action === 'delete') {
    await removeFound(ctx, found, action)
  } else {
    await ctx.access.signOut(ctx, found)
  }
  return undefined
}
