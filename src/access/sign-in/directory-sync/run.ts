/** One synchronization: reads the pages of the directory, applies each account, and disables the users that are missing. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Actor } from '../../../core/actor.ts'
import { system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import type { ChangeRequest, Storage } from '../../../store/storage/storage.ts'
import * as connections from '../../providers/connections/service.ts'
import { allOf, type Judging, type PeoplePage, personOf, unreadDetail } from '../../providers/connections/service.ts'
import { againIfOvertaken, type Providers } from '../company-sign-in/service.ts'
import { type Account, type Outcome, preview } from './job-steps.ts'

export type SyncOptions = {
  dryRun: boolean
  /** How many users may be disabled because their accounts are gone; undefined: by the share below. */
  maxDisabled: number | undefined
}

/** Without a limit of the caller: a tenth of the users of the connection, and five in small ones. */
const [mostDisabledShare, fewDisabled] = [0.1, 5]
/** Changes that wait for a commit together. */
const atOnce = 8

/** Accounts that are tried again at the end. */
const mostLater = 1000

export type Run = SyncOptions & {
  connection: connections.ConnectionRow
  job_id: string
  actor: Actor
  done: number
  /** Their addresses still belong to users who may be further down in the directory, with other addresses. */
  later: Account[]
  /** Accounts with claims of the mapping that did not arrive whole. */
  unread: { count: number; detail: string }
}

export type Syncing = {
  storage: Storage
  providers: Pick<Providers, 'people'>
  rules: Judging['rules']
  clock(): number
  /** Aborted when the server stops. */
  signal: AbortSignal
}

/** Returns how it ended. A failure of the directory or the store is thrown. */
export async function synchronize(sync: Syncing, run: Run): Promise<'succeeded' | 'incomplete'> {
  const { connection } = run
  const pages = await sync.providers.people(connection)
  const seen = new Set<string>()
  let isWhole = true
  for await (const one of pages ?? []) {
    sync.signal.throwIfAborted()
    isWhole &&= one.isComplete && one.skipped.length === 0
    await applyPage(sync, run, one, seen)
  }
  await retryReassigned(sync, run)
  await keepUnread(sync, run)
  // An empty directory is always treated as a mistake.
  const missing = await disableMissing(sync, run, seen, isWhole && seen.size > 0)
  const outcome = missing.some(isRefusal) ? 'incomplete' : 'succeeded'
  if (!run.dryRun && outcome === 'succeeded') {
    const { connection_id } = connection
    await sync.storage.change('directory_sync.complete', { connection_id }, requestOf(sync, run))
  }
  await report(sync, run, missing, true)
  return outcome
}

export function requestOf(
  { clock }: Pick<Syncing, 'clock'>,
  { actor, job_id }: Pick<Run, 'actor' | 'job_id'>,
): ChangeRequest {
  return { actor, now: clock(), requestId: `sync ${job_id}` }
}

async function report(sync: Syncing, run: Run, outcomes: readonly Outcome[], isLast: boolean): Promise<void> {
  const after = run.done
  const verdicts = outcomes.map((one, index) => ({ row: after + index + 1, ...one }))
  await sync.storage.change('imports.report', { job_id: run.job_id, after, verdicts, isLast }, requestOf(sync, run))
  run.done = after + verdicts.length
}

/** A refusal by the rules becomes the verdict. A failure of the store ends the job. */
async function tried(label: string, change: Promise<{ result: Outcome }>): Promise<Outcome> {
  try {
    return (await change).result
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { verdict: 'rejected', code: error.code, pointer: null, detail: `${label}: ${error.message}` }
  }
}

async function applyAccount(sync: Syncing, run: Run, account: Account): Promise<Outcome> {
  sync.signal.throwIfAborted()
  const { connection, dryRun } = run
  const { outcome } = await preview({ db: sync.storage.db, rules: sync.rules, now: sync.clock() }, connection, account)
  if (outcome.verdict !== 'created' && outcome.verdict !== 'updated') return outcome
  const input = { connection: versionOf(run), account }
  // The person may sign in, or be created by another way, at the same time.
  const apply = () => sync.storage.change('directory_sync.apply', input, { ...requestOf(sync, run), dryRun })
  const applied = await tried(account.label, againIfOvertaken(apply))
  // The rules of users may refuse what the claims ask for, which only the change itself shows.
  return dryRun && applied.verdict !== 'rejected' ? outcome : applied
}

async function applyPage(sync: Syncing, run: Run, { people, skipped }: PeoplePage, seen: Set<string>): Promise<void> {
  const { connection } = run
  const accounts = people.map(({ label, claims, isDisabled }) => {
    const person = personOf(connection, claims)
    seen.add(person.subject)
    return { label, person, isDisabled }
  })
  const outcomes: Outcome[] = skipped.map(({ label, detail }) => {
    return { verdict: 'rejected', code: 'account_unreadable', pointer: null, detail: `${label}: ${detail}` }
  })
  await applyAll(sync, run, accounts, (account, outcome) => {
    const isReassigned = outcome.verdict === 'rejected' && outcome.code === 'address_reassigned'
    if (isReassigned && !run.dryRun && run.later.length < mostLater) run.later.push(account)
    else outcomes.push(outcome)
    const isNew = outcome.verdict === 'created'
    const detail = unreadDetail(connections.settingsOf(connection), account.person.mapped, { isNew })
    if (detail !== undefined) run.unread = { count: run.unread.count + 1, detail }
  })
  await report(sync, run, outcomes, false)
}

async function applyAll(
  sync: Syncing,
  run: Run,
  accounts: readonly Account[],
  onAccount: (account: Account, outcome: Outcome) => void,
): Promise<void> {
  for (let at = 0; at < accounts.length; at += atOnce) {
    const some = accounts.slice(at, at + atOnce)
    const outcomes = await Promise.all(some.map((account) => applyAccount(sync, run, account)))
    for (const [index, account] of some.entries()) onAccount(account, outcomes[index] as Outcome)
    await nextTurn()
  }
}

async function retryReassigned(sync: Syncing, run: Run): Promise<void> {
  const outcomes: Outcome[] = []
  await applyAll(sync, run, run.later, (_, outcome) => outcomes.push(outcome))
  if (outcomes.length > 0) await report(sync, run, outcomes, false)
}

async function keepUnread(sync: Syncing, run: Run): Promise<void> {
  const { count, detail } = run.unread
  if (count === 0 || run.dryRun) return
  const { connection_id } = run.connection
  const failure = { reason: 'claims_incomplete', detail: `Synchronization, ${count} accounts: ${detail}`, claims: [] }
  await sync.storage.change('directory_sync.keep_failure', { connection_id, ...failure }, requestOf(sync, run))
}

/** Returns what happens to users whose accounts are gone. Users who linked an account themselves keep their own ways in. */
async function disableMissing(
  sync: Syncing,
  run: Run,
  seen: ReadonlySet<string>,
  isWhole: boolean,
): Promise<Outcome[]> {
  const { connection, dryRun, maxDisabled } = run
  const missingIds: string[] = []
  let active = 0
  for await (const { subject, user_id, linked_by } of allOf(sync.storage.db, connection.connection_id)) {
    const user = await users.findById(sync.storage.db, scopeOf(system), user_id)
    if (user?.active !== 1) continue
    active++
    if (!seen.has(subject) && linked_by !== 'user') missingIds.push(user_id)
  }
  if (missingIds.length === 0) return []
  const refused = (code: Refusal, detail: string): Outcome[] => [{ verdict: 'rejected', code, pointer: null, detail }]
  if (!isWhole) {
    const detail = `${missingIds.length} users were not found, but not every account could be read. No user was disabled.`
    return refused('listing_incomplete', detail)
  }
  if (missingIds.length > (maxDisabled ?? Math.max(fewDisabled, Math.floor(active * mostDisabledShare)))) {
    const detail = `${missingIds.length} of ${active} users are no longer found, which may be a mistake in user_base or user_filter. No user was disabled. If it is right, synchronize with max_disabled=${missingIds.length}.`
    return refused('too_many_missing', detail)
  }
  if (dryRun) return missingIds.map((user_id) => ({ verdict: 'updated', user_id }))
  const outcomes: Outcome[] = []
  for (const user_id of missingIds) {
    sync.signal.throwIfAborted()
    const input = { connection: versionOf(run), user_id }
    outcomes.push(await tried(user_id, sync.storage.change('directory_sync.disable', input, requestOf(sync, run))))
  }
  return outcomes
}

/** Why no missing user was disabled. */
type Refusal = 'listing_incomplete' | 'too_many_missing'
const refusals: readonly string[] = ['listing_incomplete', 'too_many_missing'] satisfies Refusal[]

function isRefusal(outcome: Outcome): boolean {
  return outcome.verdict === 'rejected' && refusals.includes(outcome.code)
}

function versionOf({ connection }: Run): { connection_id: string; version: number } {
  return { connection_id: connection.connection_id, version: connection.version }
}
