/**
 * The changes of a synchronization: one user per change, so that a refused user does not hold up the others. Decided by what is
 * stored then, with the rules of a sign-in. Leaves the order of the work to run.ts.
 */

import * as imports from '../../../administration/imports/service.ts'
import { AppError } from '../../../core/errors.ts'
import { isOrganizationActive } from '../../../core/rules.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { claimRun } from '../../../store/claim-run.ts'
import type { ChangeContext } from '../../../store/context.ts'
import * as connections from '../../providers/connections/service.ts'
import {
  applyClaims,
  asConnection,
  type Decision,
  decide,
  decideForChange,
  isMappingDue,
  type Judging,
  type Person,
  reasonTexts,
  renewalOf,
} from '../../providers/connections/service.ts'
import { userOf } from '../company-sign-in/service.ts'
import { saveSuccess } from './metrics.ts'

type Connection = connections.ConnectionRow
type Known = { connection_id: string; version: number }

export type Account = { label: string; person: Person; isDisabled: boolean }

export type Outcome =
  | { verdict: 'created'; user_id: string | null }
  | { verdict: 'updated' | 'unchanged'; user_id: string }
  | { verdict: 'skipped'; user_id: string | null }
  | { verdict: 'rejected'; code: string; pointer: null; detail: string }

/** A directory has more people than this service has users. */
const ofOthers: readonly string[] = ['no_user', 'not_linked']

/** Previews what would happen to an account, and why. Changes nothing. */
export async function preview(
  judging: Judging,
  connection: Connection,
  account: Account,
): Promise<{ outcome: Outcome; decision: Decision }> {
  const decision = await decide(judging, connection, account.person)
  return { outcome: await outcomeOf(judging, connection, account, decision), decision }
}

async function outcomeOf(
  { db }: Judging,
  connection: Connection,
  { label, person, isDisabled }: Account,
  decision: Decision,
): Promise<Outcome> {
  if (decision.outcome === 'refused') {
    const { reason, user } = decision
    // A directory never enables a user whom an administrator disabled, or whose end date has passed.
    if (reason === 'user_inactive' || reason === 'user_expired')
      return { verdict: 'skipped', user_id: user?.user_id ?? null }
    if (ofOthers.includes(reason)) return { verdict: 'skipped', user_id: null }
    return { verdict: 'rejected', code: reason, pointer: null, detail: `${label}: ${reasonTexts[reason]}` }
  }
  if (decision.outcome === 'creates') return { verdict: isDisabled ? 'skipped' : 'created', user_id: null }
  const { user, outcome } = decision
  const { user_id } = user
  if (outcome === 'links') return { verdict: isDisabled ? 'skipped' : 'updated', user_id }
  const hasOtherName = Object.keys(otherNames(user, person)).length > 0
  const hasOtherAddress = renewalOf(connection, user, person, decision.identity) !== undefined
  const isMapped = hasOtherName || hasOtherAddress || (await isMappingDue(db, connection, user, person.mapped))
  return { verdict: isDisabled || isMapped ? 'updated' : 'unchanged', user_id }
}

/** Names that the directory does not have stay as they are, and so do those that SCIM writes. */
function otherNames(user: users.UserRow, { first_name, last_name }: Person) {
  if (user.managed_by !== null) return {}
  return {
    ...(first_name !== '' && first_name !== user.first_name && { first_name }),
    ...(last_name !== '' && last_name !== user.last_name && { last_name }),
  }
}

/** @throws AppError `sign_in_failed` if the connection has changed since; whatever the rules of users refuse */
export async function apply(
  ctx: ChangeContext,
  { connection: known, account }: { connection: Known; account: Account },
): Promise<Outcome> {
  const connection = await current(ctx, known)
  const decision = await decideForChange(ctx, connection, account.person)
  const outcome = await outcomeOf(ctx, connection, account, decision)
  if (decision.outcome === 'refused' || (outcome.verdict !== 'created' && outcome.verdict !== 'updated')) return outcome
  const { person, isDisabled } = account
  if (decision.outcome === 'creates') {
    const { user } = await userOf(ctx, { connection, person, purpose: 'sign_in' }, decision)
    return { verdict: 'created', user_id: user.user_id }
  }
  const { user_id } = decision.user
  const update = (input: { active: false } | ReturnType<typeof otherNames>) =>
    users.update(asConnection(ctx, connection), { user_id, input, expected: undefined, override: true })
  if (isDisabled) await update({ active: false })
  else {
    const isSignedIn = decision.outcome === 'signs_in'
    // Only a sign-in counts as a use of the identity.
    const renewal = isSignedIn
      ? renewalOf(connection, decision.user, person, decision.identity)
      : (await userOf(ctx, { connection, person, purpose: 'sign_in' }, decision)).renewal
    const names = otherNames(decision.user, person)
    if (isSignedIn && Object.keys(names).length > 0) await update(names)
    await applyClaims(ctx, connection, { user_id, subject: person.subject, mapped: person.mapped, renewal })
  }
  return { verdict: 'updated', user_id }
}

/** Starts the job, or finds it: then `isNew` is false, and the request that started it continues. */
export async function startJob(
  ctx: ChangeContext,
  {
    connection,
    job_id,
    options,
  }: {
    connection: Pick<Connection, 'connection_id' | 'name' | 'organization_id'>
    job_id: string
    options: imports.JobOptions
  },
): Promise<{ isNew: boolean }> {
  const isNew = !(await imports.exists(ctx, job_id))
  await imports.startImport(ctx, { job_id, options })
  if (isNew && !options.dry_run) {
    ctx.record({
      action: 'sign_in_connection.sync_started',
      target: connections.targetOf(connection),
      details: { import_id: job_id },
    })
  }
  return { isNew }
}

/** Disables a user whose account is gone. @throws AppError `last_admin` and others of a change */
export async function disable(
  ctx: ChangeContext,
  { connection: known, user_id }: { connection: Known; user_id: string },
): Promise<Outcome> {
  const connection = await current(ctx, known)
  const user = await users.findById(ctx.db, scopeOf(ctx.actor), user_id)
  if (user === undefined || user.active !== 1) return { verdict: 'skipped', user_id }
  const input = { active: false }
  await users.update(asConnection(ctx, connection), { user_id, input, expected: undefined, override: true })
  return { verdict: 'updated', user_id }
}

async function current(ctx: ChangeContext, { connection_id, version }: Known): Promise<Connection> {
  const found = await connections.findConnectionForShare(ctx.db, scopeOf(ctx.actor), connection_id)
  if (found?.version !== version) {
    throw new AppError('sign_in_failed', 'The connection was changed meanwhile. Synchronize again.')
  }
  if (!isOrganizationActive(ctx.rules, found)) throw organizationDisabled()
  return found
}

/** None of its users may sign in, so no new ones are created, and none are disabled one by one. */
export function organizationDisabled(): AppError {
  return new AppError('validation_failed', 'The organization of this connection is disabled. Enable it first.')
}

/** For the connection's page. The job says that it was interrupted. */
export function keepFailure(
  ctx: ChangeContext,
  { connection_id, ...failure }: connections.Failure & { connection_id: string },
): Promise<void> {
  return connections.keepFailure(ctx, connection_id, failure)
}

/** Remembers when a synchronization has succeeded, for the metrics. */
export function complete(ctx: ChangeContext, { connection_id }: { connection_id: string }): Promise<void> {
  return saveSuccess(ctx.db, connection_id, ctx.now)
}

/** Whether this node is to synchronize now. */
export function claim(ctx: ChangeContext, { connection_id, everyMs }: { connection_id: string; everyMs: number }) {
  return claimRun(ctx, `directory_sync ${connection_id}`, everyMs)
}
