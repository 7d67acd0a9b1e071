/**
 * Many users at once, as an import brings them: the verdict on each, and the writing of those that are to be written.
 * The verdicts are the rules of service.ts on what is held in memory, so that the same code says what would happen.
 */

import { AppError, type InputFault, memberFault, type ProblemCode, validationFailed } from '../../core/errors.ts'
import type { ChangeContext, Context, Rules } from '../../store/context.ts'
import type { Db, Transaction } from '../../store/db/db.ts'
import { isServer } from '../../store/db/dialect.ts'
import { NoRoom } from '../../store/db/sqlite/failures.ts'
import type { UserInput } from './input.ts'
import {
  administeringRoles,
  administers,
  lastAdmin,
  mayChange,
  refuseOutranked,
  refuseUngrantableRole,
} from './rights.ts'
import { movedByChange } from './row-order.ts'
import { type Brought, changedRow, changeOf, creation, newRow } from './rows.ts'
import * as store from './store.ts'
import { insert, insertMany, write } from './write.ts'

export type Match = 'username' | 'email' | 'external_id' | 'user_id'

export type BulkOptions = {
  /** What is done with a user who is there already: rejected, left alone, or brought up to date. */
  existing: 'reject' | 'skip' | 'update'
  /** By what a user is known who is there already. */
  match: Match
}

/** Which row of a file, and the line on which it begins; null when that is not known. */
export type Place = { row: number; line?: number | null }

/** One user to come: what is said of them, or what is wrong with that. */
export type Arrival = Place &
  (
    | {
        input: UserInput
        brought: Brought
        /** The user had a password when the row was looked at, so that of the row was left aside. */
        isPasswordLeft?: true
      }
    | { fault: Fault }
  )

export type Fault = Pick<InputFault, 'code' | 'detail'> & { pointer: string | null }

export type Verdict = Place &
  (
    | { verdict: 'created' | 'updated' | 'unchanged' | 'skipped'; user_id: string | null }
    | ({ verdict: 'rejected' } & Fault)
  )

/** What is to be written for a verdict. */
export type Write = { found: store.UserRow | undefined; next: store.UserRow; isMade?: boolean }

/** What the verdicts are made from: the store, or the store as a dry run has left it. */
export type Directory = {
  find(names: store.Names): Promise<store.UserRow[]>
  findFormerIds(userIds: readonly string[]): Promise<Set<string>>
  /** Some active users with one of these roles. */
  findSomeWithRole(roles: readonly string[], limit: number): Promise<string[]>
}

export function directoryOf(db: Db): Directory {
  return {
    find: (names) => store.findUsersByNames(db, names),
    findFormerIds: (userIds) => store.findFormerIds(db, userIds),
    findSomeWithRole: (roles, limit) => store.findSomeWithRole(db, roles, limit),
  }
}

type Judge = Pick<Context, 'actor' | 'now'> & { rules: Pick<Rules, 'roles'>; newId(): string }

/**
 * Judges and writes; the verdicts are in the order of the rows. `details` go into the audit record of each change. On
 * SQLite these may be the verdicts of the first rows only: the others are left for another change.
 *
 * @throws AppError `overloaded` when somebody took a name at the same moment; nothing is written then
 * @throws NoRoom when not even the first row can be written before room is made for it
 */
export async function bring(
  ctx: ChangeContext,
  arrivals: readonly Arrival[],
  options: BulkOptions & { details: Record<string, unknown> },
): Promise<Verdict[]> {
  const names = namesOf(arrivals)
  await ctx.db.lock(lockedNames(names))
  const { verdicts, writes } = await judge(ctx, lockedDirectory(ctx.db), arrivals, options)
  let written: number
  try {
    written = await writeAll(ctx, writes, options.details)
  } catch (error) {
    // What was free when it was judged: only on PostgreSQL can somebody else be quicker.
    if (!(error instanceof AppError) || error.status !== 409) throw error
    throw new AppError('overloaded', 'Another request took a name of these rows at the same moment. Try again.', {
      cause: error,
    })
  }
  const next = writes[written]?.next.user_id
  const end = verdicts.findIndex((one) => one.verdict === 'created' && one.user_id === next)
  return next === undefined ? verdicts : verdicts.slice(0, end)
}

/** Two who remove the last administrators at the same time must not both find the other one. */
function lockedDirectory(db: Transaction): Directory {
  const directory = directoryOf(db)
  return {
    ...directory,
    find: (names) => store.findUsersByNames(db, names, { forChange: true }),
    async findSomeWithRole(roles, limit) {
      await db.lock(['last_admin'])
      return directory.findSomeWithRole(roles, limit)
    },
  }
}

/** Returns how many were written: all, or those before the first for which SQLite has no room yet. */
async function writeAll(
  ctx: ChangeContext,
  writes: readonly Write[],
  details: Record<string, unknown>,
): Promise<number> {
  if (isServer(ctx.db)) {
    await writeTogether(ctx, writes, details)
    return writes.length
  }
  const budget = { moves: movedByChange }
  let lastId: string | undefined
  for (const [n, { found, next, isMade = false }] of writes.entries()) {
    try {
      if (found === undefined) await insert(ctx, next, { type: 'user.created', isMade, lastId, budget })
      else await write(ctx, found, next)
    } catch (error) {
      if (error instanceof NoRoom && n > 0) return n
      throw error
    }
    if (found === undefined) lastId = next.user_id
    ctx.recordFor(ctx, { ...entryOf(found, next), details })
  }
  return writes.length
}

function entryOf(found: store.UserRow | undefined, next: store.UserRow) {
  return found === undefined ? creation(next) : changeOf(found, next)
}

/** Writes new users by one statement, as many as come one behind the other. */
async function writeTogether(ctx: ChangeContext, writes: readonly Write[], details: Record<string, unknown>) {
  let arriving: store.UserRow[] = []
  const settle = async () => {
    if (arriving.length > 0) await insertMany(ctx, arriving)
    arriving = []
  }
  for (const { found, next } of writes) {
    if (found === undefined) arriving.push(next)
    else {
      // In the order of the rows: one may take the name that another has given up.
      await settle()
      await write(ctx, found, next)
    }
    ctx.recordFor(ctx, { ...entryOf(found, next), details })
  }
  await settle()
}

/** The verdicts, and what they would write. */
export async function judge(
  ctx: Judge,
  directory: Directory,
  arrivals: readonly Arrival[],
  options: BulkOptions,
): Promise<{ verdicts: Verdict[]; writes: Write[] }> {
  const names = namesOf(arrivals)
  const [known, former] = [await directory.find(names), await directory.findFormerIds(names.user_ids)]
  const state = new State(ctx, directory, known, former)
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
      if (write !== undefined) {
        state.put(write.next)
        writes.push(write)
      }
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
  write?: Write
}

async function judgeOne(ctx: Judge, state: State, arrival: Known, options: BulkOptions): Promise<Judged> {
  const { input, brought } = arrival
  const found = state.findMatch(arrival, options.match)
  if (found === undefined) {
    if (brought.user_id !== undefined) state.refuseUsedId(brought.user_id)
    if (arrival.isPasswordLeft) throw refusal('password', 'validation_failed', changedMeanwhile)
    // Who is known by something else needs none.
    if (input.username === undefined) throw validationFailed([memberFault('username', 'missing_member', missingName)])
    refuseUngrantableRole(ctx, input.role ?? 'user')
    const next = newRow(ctx, input, brought)
    state.refuseTaken(next, whyNew(arrival, options))
    return {
      verdict: { verdict: 'created', user_id: next.user_id },
      write: { found: undefined, next, isMade: brought.user_id === undefined },
    }
  }
  const { user_id } = found
  if (!mayChange(ctx, found)) return judgeOutranked(ctx, found, options)
  if (brought.user_id !== undefined && brought.user_id !== user_id) {
    // Who is there already is skipped, whatever differs.
    if (options.existing === 'skip') return { verdict: { verdict: 'skipped', user_id } }
    throw refusal(
      'user_id',
      'user_id_taken',
      `A user with this ${nameOf[options.match]} exists, but has another user_id.`,
    )
  }
  const next = changedRow(ctx, found, withPassword(arrival, found))
  if (next === found) return { verdict: { verdict: 'unchanged', user_id } }
  if (options.existing === 'skip') return { verdict: { verdict: 'skipped', user_id } }
  if (options.existing === 'reject') throw takenRefusal(options.match)
  if (next.role !== found.role) refuseUngrantableRole(ctx, next.role)
  await state.refuseLosingLastAdmin(found, next)
  state.refuseTaken(next)
  return { verdict: { verdict: 'updated', user_id }, write: { found, next } }
}

/** Of somebody who may do more than the caller it is said that they are there, and not whether they are as the row says. */
function judgeOutranked(ctx: Judge, found: store.UserRow, { existing, match }: BulkOptions): Judged {
  if (existing === 'update') refuseOutranked(ctx, found)
  if (existing === 'reject') throw takenRefusal(match)
  return { verdict: { verdict: 'skipped', user_id: found.user_id } }
}

/**
 * Who has a password keeps it. After the first sign-in the stored hash is another than the one that was brought; to set it
 * back would end sessions, and to compare would tell whether a password is right.
 */
function withPassword({ input, brought }: Known, found: store.UserRow): UserInput {
  const { password_hash, ...others } = input
  if (found.password_hash !== null || password_hash === undefined) return others
  return { ...others, password_hash, must_change_password: brought.must_change_password ?? 0 }
}

/** The users that the rows of a batch can meet, as the rows before have left them. */
class State {
  readonly #ctx: Judge
  readonly #directory: Directory
  readonly #former: ReadonlySet<string>
  readonly #users = new Map<string, store.UserRow>()
  readonly #byUsername = new Map<string, string>()
  readonly #byEmail = new Map<string, string>()
  readonly #byExternalId = new Map<string, string>()
  /** How many of these were looked at as administrators may have stopped being that. */
  #touched = 0

  constructor(ctx: Judge, directory: Directory, known: readonly store.UserRow[], former: ReadonlySet<string>) {
    this.#ctx = ctx
    this.#directory = directory
    this.#former = former
    for (const row of known) this.#index(row)
  }

  put(next: store.UserRow): void {
    const before = this.#users.get(next.user_id)
    if (before !== undefined) {
      this.#byUsername.delete(before.username_key)
      if (before.email_key !== null) this.#byEmail.delete(before.email_key)
      if (before.external_id !== null) this.#byExternalId.delete(before.external_id)
    }
    this.#touched++
    this.#index(next)
  }

  #index(row: store.UserRow): void {
    this.#users.set(row.user_id, row)
    this.#byUsername.set(row.username_key, row.user_id)
    if (row.email_key !== null) this.#byEmail.set(row.email_key, row.user_id)
    if (row.external_id !== null) this.#byExternalId.set(row.external_id, row.user_id)
  }

  findMatch({ input, brought }: Known, match: Match): store.UserRow | undefined {
    const id = {
      username: () => this.#byUsername.get(input.username_key ?? ''),
      email: () => (input.email_key ? this.#byEmail.get(input.email_key) : undefined),
      external_id: () => (input.external_id ? this.#byExternalId.get(input.external_id) : undefined),
      user_id: () => brought.user_id,
    }[match]()
    return id === undefined ? undefined : this.#users.get(id)
  }

  refuseUsedId(userId: string): void {
    if (!this.#users.has(userId) && !this.#former.has(userId)) return
    throw refusal('user_id', 'user_id_taken', 'Another user has, or had, this user_id.')
  }

  /** Says what the database would: username, email address and external id in turn; and names that can be confused. */
  refuseTaken({ user_id, username_key, email_key, external_id }: store.UserRow, lead?: string): void {
    const isOthers = (owner: string | undefined) => owner !== undefined && owner !== user_id
    if (isOthers(this.#byUsername.get(username_key))) throw takenRefusal('username', lead)
    if (email_key !== null && isOthers(this.#byEmail.get(email_key))) throw takenRefusal('email', lead)
    if (external_id !== null && isOthers(this.#byExternalId.get(external_id))) throw takenRefusal('external_id', lead)
    if (isOthers(this.#byEmail.get(username_key))) {
      throw refusal('username', 'username_taken', 'This username is the email address of another user.')
    }
    if (email_key !== null && isOthers(this.#byUsername.get(email_key))) {
      throw refusal('email', 'email_taken', 'This email address is the username of another user.')
    }
  }

  async refuseLosingLastAdmin(found: store.UserRow, next: store.UserRow): Promise<void> {
    const ctx = this.#ctx
    if (!administers(ctx, found) || administers(ctx, next)) return
    for (const row of this.#users.values()) if (row.user_id !== found.user_id && administers(ctx, row)) return
    // As many as the rows before can have changed, and one more, and this one.
    const others = await this.#directory.findSomeWithRole(administeringRoles(ctx), this.#touched + 2)
    if (others.some((id) => id !== found.user_id && !this.#users.has(id))) return
    throw lastAdmin()
  }
}

function refusal(member: string, code: ProblemCode, detail: string): AppError {
  return new AppError(code, detail, { errors: [{ pointer: `#/${member}`, code, detail }] })
}

/** @param lead Why the row is not taken for a user who exists. */
function takenRefusal(member: Match, lead = ''): AppError {
  if (member === 'user_id') return refusal(member, 'user_id_taken', 'Another user already has this user_id.')
  return refusal(member, `${member}_taken`, `${lead}${store.takenDetails[member]}`)
}

/** Where users who exist are skipped or updated: why this row is rejected nevertheless. */
function whyNew({ input, brought }: Known, { existing, match }: BulkOptions): string {
  if (existing === 'reject') return ''
  const isGiven = { ...input, user_id: brought.user_id }[match] != null
  return isGiven ? `No user has this ${nameOf[match]}, so the row is a new user. ` : ''
}

/** By what the users of these rows may be known already, or meet others. */
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

/** Names that no index keeps apart: those with an `@`, which can be a username or an email address. */
function lockedNames({ username_keys, email_keys }: store.Names): string[] {
  return [...new Set([...username_keys, ...email_keys])].filter((key) => key.includes('@')).map((key) => `name:${key}`)
}
