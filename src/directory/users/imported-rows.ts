/**
 * Imports many users at once: decides the verdict on each, and writes those that change. The verdicts apply the rules
 * of service.ts to rows in memory, so that a dry run uses the same code.
 */

import { AppError, type InputFault, memberFault, type ProblemCode, validationFailed } from '../../core/errors.ts'
import { holdAddresses } from '../../record/mails/outbox.ts'
import type { ChangeContext, Context, Rules } from '../../store/context.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { isServer } from '../../store/db/dialect.ts'
import { NoRoom } from '../../store/db/sqlite/failures.ts'
import { type Definitions, holdDefinitions } from '../attributes/definitions.ts'
import { type Entry, findOwnersOfValues, uniqueEntries, valueName } from '../attributes/entries.ts'
import { attributeTaken, wantedValues } from '../attributes/values.ts'
import { findConnection } from '../connections/service.ts'
import { handOutLater } from '../links/hand-out.ts'
import type { BroughtFactors, FactorWriter, FindFactorOwners } from './imported-factors.ts'
import {
  type GroupDirectory,
  type GroupWriter,
  Memberships,
  memberChanges,
  type Regrouping,
} from './imported-groups.ts'
import type { UserInput } from './input.ts'
import { type FindWithRole, findWithRole, findWithRoleAlone, refuseLosingLastAdmin } from './last-admin.ts'
import { type FindConnection, refuseManaged } from './managed.ts'
import { confusableNames, lockedNames, type NameColumn, type NameRule, nameTaken, uniqueNames } from './names.ts'
import { holdPasswordAdmins, type PasswordAdmins, refuseLosingPasswordAdmin } from './passwordless.ts'
import { mayChange, refuseOutranked, refuseUngrantableRole } from './rights.ts'
import { movedByChange } from './row-order.ts'
import { type Brought, changedRow, changeOf, creation, newRow } from './rows.ts'
import { refuseServiceAccount } from './service-accounts.ts'
import * as store from './store.ts'
import { insert, insertMany, write as writeUser } from './write.ts'

export type Match = 'username' | 'email' | 'external_id' | 'user_id'

export type RowOptions = {
  /** How to treat an existing user: reject, skip or update. */
  existing: 'reject' | 'skip' | 'update'
  /** The member that identifies an existing user. */
  match: Match
}

/** The number of the row in the file, and the line on which it starts; null if unknown. */
export type Place = { row: number; line?: number | null }

/** One user to import: the row's values, or its fault. */
export type Arrival = Place &
  (
    | {
        input: UserInput
        brought: Brought
        /** The user's groups afterwards, by the key of their name; if absent, memberships stay. */
        groups?: readonly string[]
        /** The user had a password when the row was checked, so the row's password was ignored. */
        isPasswordLeft?: true
        /** Whether to invite the user, unless there is a password or an invitation. */
        isInvited?: true
        /** Second factors for a user who has none. */
        factors?: BroughtFactors
      }
    | { fault: Fault }
  )

export type Fault = Pick<InputFault, 'code' | 'detail'> & { pointer: string | null }

export type Verdict = Place &
  (
    | { verdict: 'created' | 'updated' | 'unchanged' | 'skipped'; user_id: string | null }
    | ({ verdict: 'rejected' } & Fault)
  )

/** The write for a verdict. If only memberships change, `next` is `found`. */
export type Write = {
  found: store.UserRow | undefined
  next: store.UserRow
  isMade?: boolean
  isInvited?: boolean
  factors?: BroughtFactors | undefined
  regrouping?: Regrouping | undefined
  /** The user's unique attribute values afterwards, each as `valueName` writes it. */
  uniqueValues: readonly string[]
}

/** The state the verdicts are based on: the store, or the store as a dry run would have left it. */
export type Directory = {
  find(names: store.Names): Promise<store.UserRow[]>
  findFormerIds(userIds: readonly string[]): Promise<Set<string>>
  /** The owners of these unique attribute values, keyed by `valueName`. */
  findOwnersOfValues(entries: readonly Entry[]): Promise<Map<string, string>>
  findWithRole: FindWithRole
  passwordAdmins: PasswordAdmins
  groups: GroupDirectory
  findConnection: FindConnection
  findFactorOwners: FindFactorOwners
}

export function directoryOf(db: Db, groups: GroupDirectory, factors: Pick<FactorWriter, 'findOwners'>): Directory {
  return {
    groups,
    find: (names) => store.findUsersByNames(db, names),
    findFormerIds: (userIds) => store.findFormerIds(db, userIds),
    findOwnersOfValues: (entries) => findOwnersOfValues(db, entries),
    findWithRole: findWithRole(db),
    passwordAdmins: { db, hold: async () => {} },
    findConnection: (id) => findConnection(db, id),
    findFactorOwners: (userIds) => factors.findOwners(db, userIds),
  }
}

type Judge = Pick<Context, 'actor' | 'now'> & {
  rules: Pick<Rules, 'roles'>
  definitions: Definitions
  newId(): string
}

/**
 * Decides and writes; the verdicts are in the order of the rows. `details` go into the audit record of each change. On
 * SQLite these may be the verdicts of the first rows only: the others are left for another change.
 *
 * @throws AppError `overloaded` if another change took a name at the same moment; nothing is written then
 * @throws NoRoom when not even the first row can be written before room is made for it
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
  await holdGroups(ctx.db, arrivals, groups)
  const judge = { ...ctx, definitions: await holdDefinitions(ctx.db) }
  const { verdicts, writes } = await judgeRows(judge, lockedDirectory(ctx.db, groups, factors), arrivals, options)
  let written: number
  try {
    written = await writeAll(ctx, writes, options.details)
  } catch (error) {
    // Names that were free when judged: on PostgreSQL another change can take them first.
    if (!(error instanceof AppError) || error.status !== 409) throw error
    throw new AppError('overloaded', 'Another request took a name of these rows at the same moment. Try again.', {
      cause: error,
    })
  }
  for (const { found, next, factors: brought } of writes.slice(0, written)) {
    if (brought === undefined) continue
    await factors.add(ctx, next, { ...brought, isNew: found === undefined, details: options.details })
  }
  await groups.write(memberChanges(writes.slice(0, written)), options.details)
  const next = writes[written]?.next.user_id
  const end = verdicts.findIndex((one) => one.verdict === 'created' && one.user_id === next)
  return next === undefined ? verdicts : verdicts.slice(0, end)
}

/** Locks the groups before the users, as every change of a group does. */
async function holdGroups(db: Transaction, arrivals: readonly Arrival[], groups: GroupWriter): Promise<void> {
  const name_keys = groupKeysOf(arrivals)
  if (name_keys === undefined || !isServer(db)) return
  const users = await store.findUsersByNames(db, namesOf(arrivals))
  await groups.hold({ name_keys, user_ids: users.map(({ user_id }) => user_id) })
}

/** Undefined if no row has groups. */
function groupKeysOf(arrivals: readonly Arrival[]): string[] | undefined {
  const lists = arrivals.flatMap((arrival) => ('groups' in arrival && arrival.groups ? [arrival.groups] : []))
  return lists.length === 0 ? undefined : [...new Set(lists.flat())]
}

function lockedDirectory(db: Transaction, groups: GroupDirectory, factors: FactorWriter): Directory {
  return {
    ...directoryOf(db, groups, factors),
    find: (names) => store.findUsersByNames(db, names, { forChange: true }),
    findWithRole: findWithRoleAlone(db),
    passwordAdmins: { db, hold: () => holdPasswordAdmins(db) },
  }
}

/** Returns how many were written: all, or those before the first for which SQLite has no room yet. */
async function writeAll(
  ctx: ChangeContext,
  writes: readonly Write[],
  details: Record<string, unknown>,
): Promise<number> {
  // In one order, as every change of several addresses does.
  await holdAddresses(
    ctx.db,
    writes.flatMap(({ isInvited, next }) => (isInvited && next.email_key !== null ? [next.email_key] : [])),
  )
  if (isServer(ctx.db)) {
    await writeTogether(ctx, writes, details)
    return writes.length
  }
  const budget = { moves: movedByChange }
  let lastId: string | undefined
  for (const [n, write] of writes.entries()) {
    const { found, next, isMade = false } = write
    try {
      if (found === undefined) await insert(ctx, next, { type: 'user.created', isMade, lastId, budget })
      else if (found !== next) await writeUser(ctx, found, next)
    } catch (error) {
      if (error instanceof NoRoom && n > 0) return n
      throw error
    }
    if (found === undefined) lastId = next.user_id
    if (found !== next) record(ctx, write, details, await inviteIfAsked(ctx, write))
  }
  return writes.length
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
  const settle = async () => {
    if (arriving.length > 0) await insertMany(ctx, arriving)
    arriving = []
  }
  const changed = writes.filter(({ found, next }) => found !== next)
  for (const { found, next } of changed) {
    if (found === undefined) arriving.push(next)
    else {
      // In the order of the rows: one may take a name that an earlier one gave up.
      await settle()
      await writeUser(ctx, found, next)
    }
  }
  await settle()
  // Concurrently, so that their statements are sent together. Waits for all, even if one fails.
  const invitations = await Promise.allSettled(changed.map((write) => inviteIfAsked(ctx, write)))
  for (const [n, one] of invitations.entries()) {
    if (one.status === 'rejected') throw one.reason
    record(ctx, changed[n] as Write, details, one.value)
  }
}

/** The verdicts, and what they would write. */
export async function judgeRows(
  ctx: Judge,
  directory: Directory,
  arrivals: readonly Arrival[],
  options: RowOptions,
): Promise<{ verdicts: Verdict[]; writes: Write[] }> {
  const names = namesOf(arrivals)
  const [known, former] = [await directory.find(names), await directory.findFormerIds(names.user_ids)]
  const name_keys = groupKeysOf(arrivals)
  const user_ids = known.map(({ user_id }) => user_id)
  const groups = name_keys && new Memberships(directory.groups, await directory.groups.find({ name_keys, user_ids }))
  const owners = await directory.findOwnersOfValues(arrivals.flatMap((arrival) => wantedOf(ctx, arrival)))
  const bringsFactors = arrivals.some((arrival) => 'factors' in arrival)
  const factorOwners = bringsFactors ? await directory.findFactorOwners(user_ids) : new Set<string>()
  const state = new State(ctx, { directory, known, former, groups, owners, factorOwners })
  const writes: Write[] = []
  const verdicts: Verdict[] = []
  for (const arrival of arrivals) {
    const { row, line = null } = arrival
    if ('fault' in arrival) {
      verdicts.push({ row, line, verdict: 'rejected', ...arrival.fault })
      continue
    }
    try {
      const { verdict, write } = await judgeOne(ctx, state, arrival, options)
      if (write !== undefined) writes.push({ ...write, uniqueValues: state.put(write) })
      verdicts.push({ row, line, ...verdict })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      verdicts.push({ row, line, verdict: 'rejected', ...faultOf(error) })
    }
  }
  return { verdicts, writes }
}

function faultOf({ code, message, errors }: AppError): Fault {
  return errors?.[0] ?? { code, pointer: pointers[code] ?? null, detail: message }
}

const pointers: Partial<Record<ProblemCode, string>> = {
  role_not_grantable: '#/role',
  user_outranks_caller: '#/role',
}

const changedMeanwhile = 'The user with this name has changed since the row was read. Import the row again.'
const nameOf: Record<Match, string> = {
  username: 'username',
  email: 'email address',
  external_id: 'external_id',
  user_id: 'user_id',
}
const missingName = 'This user does not exist yet, and a new user needs a username.'

type Known = Exclude<Arrival, { fault: Fault }>
type Judged = {
  verdict: { verdict: 'created' | 'updated' | 'unchanged' | 'skipped'; user_id: string }
  write?: Omit<Write, 'uniqueValues'>
}

async function judgeOne(ctx: Judge, state: State, arrival: Known, options: RowOptions): Promise<Judged> {
  const { input, brought, groups } = arrival
  const wanted = groups && state.groups?.named(groups)
  const found = state.findMatch(arrival, options.match)
  if (found === undefined) {
    if (brought.user_id !== undefined) state.refuseUsedId(brought.user_id)
    if (arrival.isPasswordLeft) throw refusal('password', 'validation_failed', changedMeanwhile)
    // A user identified by another member needs no username.
    if (input.username === undefined) throw validationFailed([memberFault('username', 'missing_member', missingName)])
    refuseUngrantableRole(ctx, input.role ?? 'user')
    const isInvited = arrival.isInvited === true
    const next = newRow(ctx, isInvited ? { ...input, invited: 1 } : input, brought)
    refuseFactors(next, arrival)
    state.refuseTaken(next, whyNew(arrival, options))
    const regrouping = wanted && state.groups?.change(next.user_id, wanted)
    if (regrouping !== undefined) state.groups?.refuse(ctx, regrouping)
    return {
      verdict: { verdict: 'created', user_id: next.user_id },
      write: {
        found: undefined,
        next,
        isMade: brought.user_id === undefined,
        isInvited,
        regrouping,
        factors: arrival.factors,
      },
    }
  }
  const { user_id } = found
  if (!mayChange(ctx, found)) return judgeOutranked(ctx, found, options)
  if (brought.user_id !== undefined && brought.user_id !== user_id) {
    // Existing users are skipped, whatever differs.
    if (options.existing === 'skip') return { verdict: { verdict: 'skipped', user_id } }
    throw refusal(
      'user_id',
      'user_id_taken',
      `A user with this ${nameOf[options.match]} exists, but has another user_id.`,
    )
  }
  const changed = changedRow(ctx, found, withPassword(arrival, found))
  const isInvited = arrival.isInvited === true && isToInvite(changed)
  // One version for both.
  const next = isInvited ? changedRow(ctx, { ...changed, version: found.version }, { invited: 1 }) : changed
  refuseFactors(next, arrival)
  const regrouping = wanted && state.groups?.change(user_id, wanted)
  // Like a password, a factor that the user has is kept.
  const factors = state.hasFactor(user_id) ? undefined : arrival.factors
  if (next === found && regrouping === undefined && factors === undefined)
    return { verdict: { verdict: 'unchanged', user_id } }
  if (options.existing === 'skip') return { verdict: { verdict: 'skipped', user_id } }
  if (options.existing === 'reject') throw takenRefusal(options.match)
  await state.refuseManaged(found, next)
  if (next.role !== found.role) refuseUngrantableRole(ctx, next.role)
  if (regrouping !== undefined) state.groups?.refuse(ctx, regrouping)
  const write = { found, next, isInvited, regrouping, factors }
  await state.refuseLosingLastAdmin(found, stateAfter(write))
  state.refuseTaken(next)
  return { verdict: { verdict: 'updated', user_id }, write }
}

/** @throws AppError `user_is_service_account` */
function refuseFactors(row: store.UserRow, { factors }: Known): void {
  if (factors !== undefined) refuseServiceAccount(row)
}

function isToInvite({ password_hash, active, invited }: store.UserRow): boolean {
  return password_hash === null && active === 1 && invited === 0
}

/** If a user outranks the caller, the verdict says that the user exists, and not whether the row matches. */
function judgeOutranked(ctx: Judge, found: store.UserRow, { existing, match }: RowOptions): Judged {
  if (existing === 'update') refuseOutranked(ctx, found)
  if (existing === 'reject') throw takenRefusal(match)
  return { verdict: { verdict: 'skipped', user_id: found.user_id } }
}

/**
 * An existing password is kept. After the first sign-in the stored hash differs from the imported one: resetting it
 * would end sessions, and comparing would reveal whether a password is correct.
 */
function withPassword({ input, brought }: Known, found: store.UserRow): UserInput {
  const { password_hash, ...others } = input
  if (found.password_hash !== null || password_hash === undefined) return others
  return { ...others, password_hash, must_change_password: brought.must_change_password ?? 0 }
}

/** The user as the following rows find it. */
export function stateAfter({ next, regrouping }: Omit<Write, 'uniqueValues'>): store.UserRow {
  return regrouping === undefined ? next : { ...next, group_roles: regrouping.group_roles }
}

/** The unique values that a row would give to its user. */
function wantedOf({ definitions }: Judge, arrival: Arrival): Entry[] {
  if ('fault' in arrival || arrival.input.attributes === undefined) return []
  return uniqueEntries(definitions, { user_id: '', attributes: wantedValues(definitions, arrival.input.attributes) })
}

type Beginning = {
  directory: Directory
  known: readonly store.UserRow[]
  former: ReadonlySet<string>
  groups: Memberships | undefined
  owners: Map<string, string>
  factorOwners: ReadonlySet<string>
}

/** The existing users that a batch can affect, as the previous rows have left them. */
class State {
  readonly #ctx: Judge
  readonly #directory: Directory
  readonly #former: ReadonlySet<string>
  readonly #users = new Map<string, store.UserRow>()
  /** The user who has a name. */
  readonly #owners: Record<NameColumn, Map<string, string>> = {
    username_key: new Map(),
    email_key: new Map(),
    external_id: new Map(),
  }
  readonly #ownersOfValues: Map<string, string>
  readonly #factorOwners: Set<string>
  /** How many of these checked administrators may have lost the role. */
  #touched = 0
  /** Undefined if no row has groups. */
  readonly groups: Memberships | undefined

  constructor(ctx: Judge, { directory, known, former, groups, owners, factorOwners }: Beginning) {
    this.#ctx = ctx
    this.#directory = directory
    this.#former = former
    this.groups = groups
    this.#ownersOfValues = owners
    this.#factorOwners = new Set(factorOwners)
    for (const row of known) this.#index(row)
  }

  /** Returns the unique values of attributes that the user has then. */
  put(write: Omit<Write, 'uniqueValues'>): string[] {
    const next = stateAfter(write)
    if (write.factors !== undefined) this.#factorOwners.add(next.user_id)
    if (write.regrouping !== undefined) this.groups?.put(next.user_id, write.regrouping)
    const before = this.#users.get(next.user_id)
    if (before !== undefined) {
      for (const { own } of uniqueNames) if (before[own] !== null) this.#owners[own].delete(before[own])
      for (const name of this.#uniqueValuesOf(before)) this.#ownersOfValues.delete(name)
    }
    this.#touched++
    this.#index(next)
    const values = this.#uniqueValuesOf(next)
    for (const name of values) this.#ownersOfValues.set(name, next.user_id)
    return values
  }

  #uniqueValuesOf(row: store.UserRow): string[] {
    return uniqueEntries(this.#ctx.definitions, row).map(valueName)
  }

  #index(row: store.UserRow): void {
    this.#users.set(row.user_id, row)
    for (const { own } of uniqueNames) if (row[own] !== null) this.#owners[own].set(row[own], row.user_id)
  }

  findMatch({ input, brought }: Known, match: Match): store.UserRow | undefined {
    const id = {
      username: () => this.#owners.username_key.get(input.username_key ?? ''),
      email: () => (input.email_key ? this.#owners.email_key.get(input.email_key) : undefined),
      external_id: () => (input.external_id ? this.#owners.external_id.get(input.external_id) : undefined),
      user_id: () => brought.user_id,
    }[match]()
    return id === undefined ? undefined : this.#users.get(id)
  }

  hasFactor(userId: string): boolean {
    return this.#factorOwners.has(userId)
  }

  refuseUsedId(userId: string): void {
    if (!this.#users.has(userId) && !this.#former.has(userId)) return
    throw refusal('user_id', 'user_id_taken', 'Another user has, or had, this user_id.')
  }

  /** Throws what the database would, and also for names that can be confused, which it cannot detect. */
  refuseTaken(row: store.UserRow, lead = ''): void {
    const isTaken = ({ own, others }: NameRule) => {
      const owner = row[own] === null ? undefined : this.#owners[others].get(row[own])
      return owner !== undefined && owner !== row.user_id
    }
    const taken = uniqueNames.find(isTaken)
    if (taken !== undefined) throw nameTaken({ ...taken, detail: `${lead}${taken.detail}` })
    const confused = confusableNames.find(isTaken)
    if (confused !== undefined) throw nameTaken(confused)
    const values = uniqueEntries(this.#ctx.definitions, row).filter((entry) => {
      const owner = this.#ownersOfValues.get(valueName(entry))
      return owner !== undefined && owner !== row.user_id
    })
    if (values.length > 0) throw attributeTaken([...new Set(values.map(({ attribute }) => attribute))])
  }

  refuseManaged(found: store.UserRow, next: store.UserRow): Promise<void> {
    return refuseManaged(this.#ctx, { found, next, find: this.#directory.findConnection })
  }

  async refuseLosingLastAdmin(found: store.UserRow, next: store.UserRow): Promise<void> {
    const { findWithRole: find, passwordAdmins } = this.#directory
    await refuseLosingLastAdmin(this.#ctx, { found, next, find, pending: this.#users, pendingLosses: this.#touched })
    await refuseLosingPasswordAdmin(this.#ctx, passwordAdmins, { found, next, pending: this.#users })
  }
}

function refusal(member: string, code: ProblemCode, detail: string): AppError {
  return new AppError(code, detail, { errors: [{ pointer: `#/${member}`, code, detail }] })
}

function takenRefusal(match: Match): AppError {
  const rule = uniqueNames.find(({ member }) => member === match)
  return rule ? nameTaken(rule) : refusal('user_id', 'user_id_taken', 'Another user already has this user_id.')
}

/** Returns why a row is rejected even though existing users are skipped or updated. */
function whyNew({ input, brought }: Known, { existing, match }: RowOptions): string {
  if (existing === 'reject') return ''
  const isGiven = { ...input, user_id: brought.user_id }[match] != null
  return isGiven ? `No user has this ${nameOf[match]}, so the row is a new user. ` : ''
}

/** The values by which the rows may match or conflict with existing users. */
export function namesOf(arrivals: readonly Arrival[]): store.Names {
  const names = { user_ids: new Set<string>(), username_keys: new Set<string>(), email_keys: new Set<string>() }
  const externalIds = new Set<string>()
  for (const arrival of arrivals) {
    if ('fault' in arrival) continue
    const { username_key, email_key, external_id } = arrival.input
    if (username_key !== undefined) {
      names.username_keys.add(username_key)
      if (username_key.includes('@')) names.email_keys.add(username_key)
    }
    if (email_key) {
      names.email_keys.add(email_key)
      names.username_keys.add(email_key)
    }
    if (external_id) externalIds.add(external_id)
    if (arrival.brought.user_id !== undefined) names.user_ids.add(arrival.brought.user_id)
  }
  return {
    user_ids: [...names.user_ids],
    username_keys: [...names.username_keys],
    email_keys: [...names.email_keys],
    external_ids: [...externalIds],
  }
}
