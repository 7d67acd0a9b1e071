/**
 * Decides the verdict on each row of an import, and what it writes. Applies the rules of users.ts to rows in memory, so
 * that a dry run uses the same code.
 */
import { AppError, memberFault, validationFailed } from '../../../core/errors.ts'
import { withinOrganization } from '../../../core/scope.ts'
import { type Entry, uniqueEntries, wantedValues } from '../../attributes/service.ts'
import { type At, hasAccess } from '../access-state.ts'
import { checkUserInput, nameFromEmail, type UserInput } from '../input.ts'
import { changedParts, refuseOwnAccount } from '../own-account.ts'
import { mayChange, refuseOutranked, refuseUngrantableRole } from '../rights.ts'
import { changedRow, isMoved, newRow } from '../rows.ts'
import { refuseServiceAccount } from '../service-accounts.ts'
import type { UserRow } from '../store.ts'
import { type Arrival, groupKeysOf, namesOf, organizationsOf, type RowOptions, type SoundArrival } from './arrival.ts'
import type { Directory } from './directory.ts'
import { type ImportedGroup, Memberships } from './groups.ts'
import { type Judge, State } from './state.ts'
import { faultOf, nameOf, refusal, stateAfter, takenRefusal, type Verdict, type Write, whyNew } from './verdict.ts'

/** Returns the verdicts, and what they would write. */
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
  const organizations = await directory.findOrganizations(organizationsOf(arrivals))
  const state = new State(ctx, { directory, known, former, groups, owners, factorOwners, organizations })
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

/** The unique values that a row would give to its user. */
function wantedOf({ definitions }: Judge, arrival: Arrival): Entry[] {
  if ('fault' in arrival || arrival.input.attributes === undefined) return []
  return uniqueEntries(definitions, { user_id: '', attributes: wantedValues(definitions, arrival.input.attributes) })
}

const changedMeanwhile = 'The user with this name has changed since the row was read. Import the row again.'
const missingName = 'This user does not exist yet, and a new user needs a username or an email.'

type Judged = {
  verdict: { verdict: 'created' | 'updated' | 'unchanged' | 'skipped'; user_id: string }
  write?: Omit<Write, 'uniqueValues'>
}

type Row = {
  arrival: SoundArrival
  options: RowOptions
  /** The groups of the user afterwards; undefined if memberships stay. */
  wanted: readonly ImportedGroup[] | undefined
}

async function judgeOne(ctx: Judge, state: State, read: SoundArrival, options: RowOptions): Promise<Judged> {
  const arrival = { ...read, input: { ...read.input, ...state.organizationOf(read) } }
  const wanted = arrival.groups && state.groups?.named(arrival.groups)
  const found = state.findMatch(arrival, options.match)
  const row = { arrival, options, wanted }
  return found === undefined ? judgeNew(ctx, state, row) : judgeFound(ctx, state, found, row)
}

function judgeNew(ctx: Judge, state: State, { arrival, options, wanted }: Row): Judged {
  const { input, imported: brought, isInvited = false, factors } = arrival
  if (arrival.isPasswordLeft) throw refusal('password', 'validation_failed', changedMeanwhile)
  // Before the id, so that an id from elsewhere that a caller of an organization sends is like an unknown one.
  const named = withName(input, ctx.rules.roles)
  if (brought.user_id !== undefined) state.refuseUsedId(brought.user_id)
  refuseUngrantableRole(ctx, input.role ?? 'user')
  const owned = withinOrganization(ctx.actor, named)
  const next = newRow(ctx, isInvited ? { ...owned, invited: 1 } : owned, brought)
  refuseFactors(next, arrival)
  state.refuseTaken(next, whyNew(arrival, options))
  const regrouping = wanted && state.groups?.change(next.user_id, wanted)
  if (regrouping !== undefined) state.groups?.refuse(ctx, regrouping)
  const isMade = brought.user_id === undefined
  return {
    verdict: { verdict: 'created', user_id: next.user_id },
    write: { found: undefined, next, isMade, isInvited, regrouping, factors },
  }
}

/** A user who is matched by another member needs no username, unless the row creates them: then their email is one. */
function withName(input: UserInput, roles: Judge['rules']['roles']): UserInput {
  if (input.username !== undefined) return input
  const username = nameFromEmail(input.email)
  const named = username === undefined ? {} : checkUserInput({ username }, roles)
  // Only keys of emails were looked up as names of other users.
  if (named.username_key === undefined || named.username_key !== input.email_key) {
    throw validationFailed([memberFault('username', 'missing_member', missingName)])
  }
  return { ...input, ...named }
}

async function judgeFound(ctx: Judge, state: State, found: UserRow, row: Row): Promise<Judged> {
  const { arrival, options, wanted } = row
  const { user_id } = found
  if (!mayChange(ctx, found)) return judgeOutranked(ctx, found, options)
  if (arrival.imported.user_id !== undefined && arrival.imported.user_id !== user_id) {
    // Existing users are skipped, whatever differs.
    if (options.existing === 'skip') return { verdict: { verdict: 'skipped', user_id } }
    const detail = `A user with this ${nameOf[options.match]} exists, but has another user_id.`
    throw refusal('user_id', 'user_id_taken', detail)
  }
  const changed = changedRow(ctx, found, withPassword(arrival, found))
  const isInvited = arrival.isInvited === true && isToInvite(changed, ctx)
  // One version for both.
  const next = isInvited ? changedRow(ctx, { ...changed, version: found.version }, { invited: 1 }) : changed
  refuseFactors(next, arrival)
  const left = isMoved(found, next) ? found.organization_id : null
  const regrouping = wanted && state.groups?.change(user_id, wanted, left)
  // Like a password, a factor that the user has is kept.
  const factors = state.hasFactor(user_id) ? undefined : arrival.factors
  const isChanged = next !== found || regrouping !== undefined || factors !== undefined
  if (!isChanged) return { verdict: { verdict: 'unchanged', user_id } }
  if (options.existing === 'skip') return { verdict: { verdict: 'skipped', user_id } }
  if (options.existing === 'reject') throw takenRefusal(options.match)
  const beside = [...(factors === undefined ? [] : (['factors'] as const)), ...(isInvited ? (['links'] as const) : [])]
  refuseOwnAccount(ctx, user_id, [...changedParts(found, next), ...beside])
  await state.refuseManaged(found, next)
  if (next.role !== found.role) refuseUngrantableRole(ctx, next.role)
  if (regrouping !== undefined) state.groups?.refuse(ctx, regrouping)
  const write = { found, next, isInvited, regrouping, factors }
  const standing = regrouping === undefined ? await state.afterMove(found, next) : stateAfter(write)
  await state.refuseLosingLastAdmin(found, standing)
  state.refuseTaken(next)
  return { verdict: { verdict: 'updated', user_id }, write }
}

/** @throws AppError `user_is_service_account` */
function refuseFactors(row: UserRow, { factors }: SoundArrival): void {
  if (factors !== undefined) refuseServiceAccount(row)
}

function isToInvite(row: UserRow, at: At): boolean {
  return row.password_hash === null && hasAccess(row, at) && row.invited === 0
}

/** If a user outranks the caller, the verdict says that the user exists, and not whether the row matches. */
function judgeOutranked(ctx: Judge, found: UserRow, { existing, match }: RowOptions): Judged {
  if (existing === 'update') refuseOutranked(ctx, found)
  if (existing === 'reject') throw takenRefusal(match)
  return { verdict: { verdict: 'skipped', user_id: found.user_id } }
}

/**
 * An existing password is kept. After the first sign-in the stored hash differs from the imported one: resetting it
 * would end sessions, and comparing would reveal whether a password is correct.
 */
function withPassword({ input, imported: brought }: SoundArrival, found: UserRow): UserInput {
  const { password_hash, ...others } = input
  if (found.password_hash !== null || password_hash === undefined) return others
  return { ...others, password_hash, must_change_password: brought.must_change_password ?? 0 }
}
