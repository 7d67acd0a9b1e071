/**
 * Synchronizes users with a directory: in the background, as a job that is shown among the imports. Accounts are listed page
 * by page; accounts without a change are only read. Missing users are disabled at the end, unless there are suspiciously many.
 */

import type { Logger } from 'pino'
import type { JobOptions } from '../../../administration/imports/service.ts'
import { type Actor, system } from '../../../core/actor.ts'
import { AppError } from '../../../core/errors.ts'
import { isOrganizationActive } from '../../../core/rules.ts'
import { scopeOf } from '../../../core/scope.ts'
import { uuidv7Maker } from '../../../lib/uuidv7.ts'
import type { ChangeRequest, Storage } from '../../../store/storage/storage.ts'
import * as connections from '../../providers/connections/service.ts'
import { type Judging, ProtocolFailure } from '../../providers/connections/service.ts'
import type { Providers } from '../company-sign-in/service.ts'
import { organizationDisabled } from './job-steps.ts'
import type { SyncCounts } from './metrics.ts'
import { type Run, requestOf, type Syncing, type SyncOptions, synchronize } from './run.ts'

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

const hourMs = 3_600_000

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
  const sync: Syncing = { storage, providers, rules, clock, signal: stop.signal }

  async function work(run: Run): Promise<void> {
    const { connection, job_id } = run
    try {
      const outcome = await synchronize(sync, run)
      if (!run.dryRun) counts.count(outcome)
    } catch (error) {
      if (error instanceof AppError && /^import_(cancelled|busy)$/.test(error.code)) return
      if (!run.dryRun && !stop.signal.aborted) counts.count('failed')
      try {
        const { connection_id } = connection
        const failure = { ...failureOf(error, stop.signal.aborted), claims: [] }
        await storage.change('directory_sync.keep_failure', { connection_id, ...failure }, requestOf(sync, run))
      } finally {
        await storage.change('imports.interrupt', { job_id }, requestOf(sync, { ...run, actor: system }))
      }
      if (!(error instanceof ProtocolFailure)) throw error
    }
  }

  async function start(...[beginning, request]: Parameters<DirectorySync['start']>): Promise<void> {
    const { connection_id, job_id, dryRun, maxDisabled } = beginning
    const { actor } = request
    const connection = await connections.getRow(storage.db, scopeOf(actor), connection_id)
    if ((await providers.people(connection)) === undefined) {
      throw new AppError('validation_failed', 'Only a directory can be synchronized (a connection of the kind ldap).')
    }
    if (!isOrganizationActive(storage.rules, connection)) throw organizationDisabled()
    const options: JobOptions = {
      mode: 'update',
      on_conflict: 'skip',
      match: 'identity',
      format: 'ldap',
      dry_run: dryRun,
      file_name: connection.name,
    }
    const { name, organization_id } = connection
    const job = { connection: { connection_id, name, organization_id }, job_id, options }
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
      for (const row of await connections.listRows(storage.db, scopeOf(system))) {
        const { sync_hours } = connections.settingsOf(row) as { sync_hours?: number | null }
        if (!connections.isUsable(storage, row) || typeof sync_hours !== 'number') continue
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
