/**
 * Synchronizes users with a directory: in the background, as a job that is shown among the imports. Accounts are listed page
 * by page; accounts without a change are only read. Missing users are disabled at the end, unless there are suspiciously many.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Actor, system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import type { JobOptions } from '../../../directory/imports/service.ts'
import * as users from '../../../directory/users/service.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import type { ChangeRequest, Storage } from '../../../store/storage/storage.ts'
import * as connections from '../../providers/connections/service.ts'
import {
  allOf,
  type Judging,
  type PeoplePage,
  ProtocolFailure,
  personOf,
  unreadDetail,
} from '../../providers/connections/service.ts'
import { againIfOvertaken, type Providers } from '../company-sign-in/service.ts'
import type { SyncCounts } from './metrics.ts'
import { type Account, type Outcome, preview } from './run.ts'

export { createSyncCounts, syncMetrics } from './metrics.ts'

type SyncOptions = {
  dryRun: boolean
  /** How many users may be disabled because their accounts are gone; undefined: by the share below. */
  maxDisabled: number | undefined
}

export type DirectorySync = {
  /** Begins a job, unless it was begun before. @throws AppError `connection_not_found`, `validation_failed` */
  start(
    beginning: { connection_id: string; job_id: string } & SyncOptions,
    request: ChangeRequest & { actor: Actor },
  ): Promise<void>
  /** The connections that are due. */
  tend(now: number): Promise<void>
  close(): Promise<void>
}

type Parts = {
  storage: Storage
  providers: Pick<Providers, 'people'>
  rules: Judging['rules']
  clock(): number
  log: Logger
  counts: Pick<SyncCounts, 'count'>
  isInTrial?: boolean
}

/** Without a limit of the caller: a tenth of the users of the connection, and five in small ones. */
const [mostDisabledShare, fewDisabled] = [0.1, 5]
/** Changes that wait for a commit together. */
const atOnce = 8
const hourMs = 3_600_000

/** Accounts that are tried again at the end. */
const mostLater = 1000

type Run = SyncOptions & {
  connection: connections.ConnectionRow
  job_id: string
  actor: Actor
  done: number
  /** Their addresses still belong to users who may be further down in the directory, with other addresses. */
  later: Account[]
  /** Accounts with claims of the mapping that did not arrive whole. */
  unread: { count: number; detail: string }
}

export function createDirectorySync({
  storage,
  providers,
  rules,
  clock,
  log,
  counts,
  isInTrial = false,
}: Parts): DirectorySync {
  const stop = new AbortController()
  const running = new Map<string, Promise<void>>()
  const newId = uuidv7Maker()

  const requestOf = ({ actor, job_id }: Pick<Run, 'actor' | 'job_id'>): ChangeRequest => {
    return { actor, now: clock(), requestId: `sync ${job_id}` }
  }

  async function report(run: Run, outcomes: readonly Outcome[], isLast: boolean): Promise<void> {
    const after = run.done
    const verdicts = outcomes.map((one, index) => ({ row: after + index + 1, ...one }))
    await storage.change('imports.report', { job_id: run.job_id, after, verdicts, isLast }, requestOf(run))
    run.done = after + verdicts.length
  }

  /** A refusal by the rules becomes the verdict. A failure of the store ends the job. */
  async function tried(label: string, work: Promise<{ result: Outcome }>): Promise<Outcome> {
    try {
      return (await work).result
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      return { verdict: 'rejected', code: error.code, pointer: null, detail: `${label}: ${error.message}` }
    }
  }

  async function one(run: Run, account: Account): Promise<Outcome> {
    stop.signal.throwIfAborted()
    const { connection, dryRun } = run
    const { outcome } = await preview({ db: storage.db, rules }, connection, account)
    if (outcome.verdict !== 'created' && outcome.verdict !== 'updated') return outcome
    const input = { connection: versionOf(run), account }
    // The person may sign in, or be created by another way, at the same time.
    const apply = () => storage.change('directory_sync.apply', input, { ...requestOf(run), dryRun })
    const applied = await tried(account.label, againIfOvertaken(apply))
    // The rules of users may refuse what the claims ask for, which only the change itself shows.
    return dryRun && applied.verdict !== 'rejected' ? outcome : applied
  }

  async function page(run: Run, { people, skipped }: PeoplePage, seen: Set<string>): Promise<void> {
    const { connection } = run
    const accounts = people.map(({ label, claims, isDisabled }) => {
      const person = personOf(connection, claims)
      seen.add(person.subject)
      return { label, person, isDisabled }
    })
    const outcomes: Outcome[] = skipped.map(({ label, detail }) => {
      return { verdict: 'rejected', code: 'account_unreadable', pointer: null, detail: `${label}: ${detail}` }
    })
    await each(run, accounts, (account, outcome) => {
      const isReassigned = outcome.verdict === 'rejected' && outcome.code === 'address_reassigned'
      if (isReassigned && !run.dryRun && run.later.length < mostLater) run.later.push(account)
      else outcomes.push(outcome)
      const isNew = outcome.verdict === 'created'
      const detail = unreadDetail(connections.settingsOf(connection), account.person.mapped, { isNew })
      if (detail !== undefined) run.unread = { count: run.unread.count + 1, detail }
    })
    await report(run, outcomes, false)
  }

  async function each(
    run: Run,
    accounts: readonly Account[],
    onAccount: (account: Account, outcome: Outcome) => void,
  ): Promise<void> {
    for (let at = 0; at < accounts.length; at += atOnce) {
      const some = accounts.slice(at, at + atOnce)
      const outcomes = await Promise.all(some.map((account) => one(run, account)))
      for (const [index, account] of some.entries()) onAccount(account, outcomes[index] as Outcome)
      await nextTurn()
    }
  }

  async function again(run: Run): Promise<void> {
    const outcomes: Outcome[] = []
    await each(run, run.later, (_, outcome) => outcomes.push(outcome))
    if (outcomes.length > 0) await report(run, outcomes, false)
  }

  async function keepUnread(run: Run): Promise<void> {
    const { count, detail } = run.unread
    if (count === 0 || run.dryRun) return
    const { connection_id } = run.connection
    const failure = { reason: 'claims_incomplete', detail: `Synchronization, ${count} accounts: ${detail}`, claims: [] }
    await storage.change('directory_sync.keep_failure', { connection_id, ...failure }, requestOf(run))
  }

  /** Returns what happens to users whose accounts are gone. Users who linked an account themselves keep their own ways in. */
  async function finish(run: Run, seen: ReadonlySet<string>, isWhole: boolean): Promise<Outcome[]> {
    const { connection, dryRun, maxDisabled } = run
    const missingIds: string[] = []
    let active = 0
    for await (const { subject, user_id, linked_by } of allOf(storage.db, connection.connection_id)) {
      const user = await users.findById(storage.db, user_id)
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
      stop.signal.throwIfAborted()
      const input = { connection: versionOf(run), user_id }
      outcomes.push(await tried(user_id, storage.change('directory_sync.disable', input, requestOf(run))))
    }
    return outcomes
  }

  async function work(run: Run): Promise<void> {
    const { connection, job_id } = run
    try {
      const pages = await providers.people(connection)
      const seen = new Set<string>()
      let isWhole = true
      for await (const one of pages ?? []) {
        stop.signal.throwIfAborted()
        isWhole &&= one.isComplete && one.skipped.length === 0
        await page(run, one, seen)
      }
      await again(run)
      await keepUnread(run)
      // An empty directory is always treated as a mistake.
      const missing = await finish(run, seen, isWhole && seen.size > 0)
      const outcome = missing.some(isRefusal) ? 'incomplete' : 'succeeded'
      if (!run.dryRun && outcome === 'succeeded') {
        await storage.change('directory_sync.complete', { connection_id: connection.connection_id }, requestOf(run))
      }
      await report(run, missing, true)
      if (!run.dryRun) counts.count(outcome)
    } catch (error) {
      if (error instanceof AppError && /^import_(cancelled|busy)$/.test(error.code)) return
      if (!run.dryRun && !stop.signal.aborted) counts.count('failed')
      try {
        const { connection_id } = connection
        const failure = { ...failureOf(error, stop.signal.aborted), claims: [] }
        await storage.change('directory_sync.keep_failure', { connection_id, ...failure }, requestOf(run))
      } finally {
        await storage.change('imports.interrupt', { job_id }, requestOf({ ...run, actor: system }))
      }
      if (!(error instanceof ProtocolFailure)) throw error
    }
  }

  async function start(...[beginning, request]: Parameters<DirectorySync['start']>): Promise<void> {
    const { connection_id, job_id, dryRun, maxDisabled } = beginning
    const { actor } = request
    const connection = await connections.getRow(storage.db, connection_id)
    if ((await providers.people(connection)) === undefined) {
      throw new AppError('validation_failed', 'Only a directory can be synchronized (a connection of the kind ldap).')
    }
    const options: JobOptions = {
      mode: 'update',
      on_conflict: 'skip',
      match: 'identity',
      format: 'ldap',
      dry_run: dryRun,
      file_name: connection.name,
    }
    const job = { connection: { connection_id, name: connection.name }, job_id, options }
    const { result } = await storage.change('directory_sync.begin', job, request)
    // The same Idempotency-Key, again.
    if (!result.isNew) return
    const run = { connection, job_id, actor, dryRun, maxDisabled, done: 0, later: [], unread: { count: 0, detail: '' } }
    const working = work(run)
      .catch((err: unknown) => {
        if (!stop.signal.aborted) log.warn({ err, job_id }, 'synchronizing a directory failed')
      })
      .finally(() => running.delete(job_id))
    running.set(job_id, working)
  }

  return {
    start,

    async tend(now) {
      if (isInTrial) return
      for (const row of await connections.listRows(storage.db)) {
        const { sync_hours } = connections.settingsOf(row) as { sync_hours?: number | null }
        if (row.active !== 1 || typeof sync_hours !== 'number') continue
        const { connection_id } = row
        const request = { actor: system, now, requestId: 'housekeeping' }
        const everyMs = sync_hours * hourMs
        const { result: isOurs } = await storage.change('directory_sync.claim', { connection_id, everyMs }, request)
        const options = { dryRun: false, maxDisabled: undefined, job_id: newId(now) }
        if (isOurs) await start({ connection_id, ...options }, request)
      }
    },

    async close() {
      stop.abort()
      await Promise.allSettled(running.values())
    },
  }
}

/** Why no missing user was disabled. */
type Refusal = 'listing_incomplete' | 'too_many_missing'
const refusals: readonly string[] = ['listing_incomplete', 'too_many_missing'] satisfies Refusal[]

function isRefusal(outcome: Outcome): boolean {
  return outcome.verdict === 'rejected' && refusals.includes(outcome.code)
}

/** For the page of the connection: an interrupted job always has its reason there. */
function failureOf(error: unknown, isStopped: boolean): { reason: string; detail: string } {
  if (isStopped) {
    return { reason: 'interrupted', detail: 'Synchronization: The server was stopped meanwhile. Synchronize again.' }
  }
  const isKnown = error instanceof ProtocolFailure || (error instanceof AppError && error.status < 500)
  if (!isKnown)
    return { reason: 'internal_error', detail: 'Synchronization: An unexpected error, which the log explains.' }
  return {
    reason: error instanceof ProtocolFailure ? error.reason : error.code,
    detail: `Synchronization: ${error.message}`,
  }
}

function versionOf({ connection }: Run): { connection_id: string; version: number } {
  return { connection_id: connection.connection_id, version: connection.version }
}
