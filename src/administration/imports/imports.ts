/**
 * Imports: the progress of each is committed together with the changes of its rows, so that it can continue after any
 * interruption. Leaves reading the file to feed.ts, and the rules for a row to directory/users/imported.
 */

import { system } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import { scopeOf } from '../../core/scope.ts'
import { type Arrival, type FactorWriter, type Verdict, writeRows } from '../../directory/users/service.ts'
import { timestamp } from '../../lib/instant.ts'
import { isUuid } from '../../lib/uuidv7.ts'
import { claimRun } from '../../store/claim-run.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import type { AuditEntry } from '../../store/journal-entry.ts'
import { groupsForImportedChange } from '../groups/service.ts'
import type { conflicts, formats, ImportedRow, ImportJob, jobFormats, jobMatches, matches, modes } from './schema.ts'
import * as store from './store.ts'
import { packed, unpacked } from './verdicts.ts'

export type ImportOptions = {
  mode: (typeof modes)[number]
  on_conflict: (typeof conflicts)[number]
  match: (typeof matches)[number]
  format: (typeof formats)[number]
  dry_run: boolean
  /** The id of the request that started the import. */
  file_name?: string
}

/** For any job that is shown as an import. */
export type JobOptions = Omit<ImportOptions, 'match' | 'format'> & {
  match: (typeof jobMatches)[number]
  format: (typeof jobFormats)[number]
}

export type Progress = { rows_done: number; digest: string | null; state: store.ImportRecord['state'] }

/** How long after its last row an import counts as running. */
const patienceMs = 60_000
const shownRejects = 100
/** Deleting one import of a million rows takes some milliseconds. */
const importsAtOnce = 20

/** Starts an import, or finds the one with this id. @throws AppError `import_mismatch`, `import_cancelled` */
export async function startImport(
  ctx: ChangeContext,
  { job_id, options }: { job_id: string; options: JobOptions },
): Promise<Progress> {
  const now = timestamp(ctx.now)
  const none = { created: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0 }
  const text = JSON.stringify(options)
  const row = { job_id, state: 'running', options: text, rows_done: 0, ...none, digest: '' } as const
  const organization_id = ctx.actor.limitedTo ?? null
  const times = { created_at: now, updated_at: now, finished_at: null }
  if (await store.insertImport(ctx.db, { ...row, ...times, organization_id })) {
    return { rows_done: 0, digest: '', state: 'running' }
  }
  const found = await getForChange(ctx, job_id)
  if (!isSame(JSON.parse(found.options) as JobOptions, options)) {
    throw new AppError('import_mismatch', 'The import with this job_id was started with other options.')
  }
  if (found.state === 'cancelled') throw cancelled()
  if (found.state === 'interrupted') await store.updateImport(ctx.db, { ...found, state: 'running', updated_at: now })
  return found
}

/** The same file can have another name when it is sent again. */
function isSame({ file_name: _, ...a }: JobOptions, { file_name: __, ...b }: JobOptions): boolean {
  return (Object.keys(b) as (keyof typeof b)[]).every((name) => a[name] === b[name])
}

export type Step = {
  job_id: string
  /** The number of the row before the first of these. */
  after: number
  arrivals: readonly Arrival[]
  /** The verdicts of a dry run, which ignores `arrivals`. */
  verdicts?: Verdict[]
  options: ImportOptions
  digest: string | null
  /** There are no more rows. */
  isLast: boolean
}

/**
 * Imports some rows, in one change.
 *
 * @throws AppError `import_busy` if another request was faster, `import_cancelled`, `import_finished`, `overloaded`
 */
export async function advance(ctx: ChangeContext, step: Step, factors: FactorWriter): Promise<void> {
  const found = await getForChange(ctx, step.job_id)
  if (found.state === 'cancelled') throw cancelled()
  if (found.state === 'done')
    throw new AppError('import_finished', 'The import has ended. Start another import for more rows.')
  if (found.rows_done !== step.after) {
    throw new AppError('import_busy', 'Another request is sending this import right now. Wait until it has ended.', {
      retryAfterSeconds: 5,
    })
  }
  const { mode, on_conflict, match } = step.options
  const existing = mode === 'update' ? 'update' : on_conflict
  const { file_name } = JSON.parse(found.options) as ImportOptions
  const details = { import_id: step.job_id, ...(file_name !== undefined && { file_name }) }
  const groups = groupsForImportedChange(ctx)
  const options = { existing, match, details, groups, factors } as const
  const verdicts = step.verdicts ?? (await writeRows(ctx, step.arrivals, options))
  if (verdicts.length > 0) await store.insertVerdicts(ctx.db, { job_id: step.job_id, ...packed(verdicts) })
  const rows_done = step.after + verdicts.length
  const next: store.ImportRecord = { ...found, state: 'running', rows_done, digest: step.digest }
  for (const { verdict } of verdicts) next[verdict]++
  if (step.isLast) {
    Object.assign(next, { state: 'done', finished_at: timestamp(ctx.now) })
    if (!step.options.dry_run) ctx.recordFor(ctx, endEntry(next, 'import.finished'))
  }
  await store.updateImport(ctx.db, { ...next, updated_at: timestamp(ctx.now) })
}

/**
 * Reports the verdicts of a job that is not fed from a file. The changes were committed before: repeating them has no effect.
 *
 * @throws AppError `import_cancelled`, `import_busy`
 */
export async function report(
  ctx: ChangeContext,
  { job_id, after, verdicts, isLast }: Pick<Step, 'job_id' | 'after' | 'isLast'> & { verdicts: Verdict[] },
): Promise<void> {
  const found = await getForChange(ctx, job_id)
  if (found.state === 'cancelled') throw cancelled()
  if (found.rows_done !== after || found.state === 'done') {
    throw new AppError('import_busy', 'This job is running already.', { retryAfterSeconds: 5 })
  }
  if (verdicts.length > 0) await store.insertVerdicts(ctx.db, { job_id, ...packed(verdicts) })
  const next: store.ImportRecord = { ...found, state: 'running', rows_done: after + verdicts.length, digest: null }
  for (const { verdict } of verdicts) next[verdict]++
  if (isLast) {
    Object.assign(next, { state: 'done', finished_at: timestamp(ctx.now) })
    if (!(JSON.parse(found.options) as JobOptions).dry_run) ctx.recordFor(ctx, endEntry(next, 'import.finished'))
  }
  await store.updateImport(ctx.db, { ...next, updated_at: timestamp(ctx.now) })
}

function endEntry(row: store.ImportRecord, action: 'import.finished' | 'import.cancelled'): AuditEntry {
  const { job_id, rows_done, created, updated, unchanged, skipped, rejected } = row
  const { file_name } = JSON.parse(row.options) as ImportOptions
  return {
    action,
    target: {
      kind: 'import',
      id: job_id,
      ...(file_name !== undefined && { name: file_name }),
      organization_id: row.organization_id,
    },
    details: { rows_done, created, updated, unchanged, skipped, rejected },
  }
}

/** The rows stopped arriving. */
export async function interrupt(ctx: ChangeContext, { job_id }: { job_id: string }): Promise<void> {
  const found = await store.findImportForChange(ctx.db, scopeOf(ctx.actor), job_id)
  if (found?.state !== 'running') return
  await store.updateImport(ctx.db, { ...found, state: 'interrupted', updated_at: timestamp(ctx.now) })
}

/** A dry run cannot continue after its overlay is lost, so it is deleted. */
export async function forget(ctx: ChangeContext, { job_id }: { job_id: string }): Promise<void> {
  const found = await getForChange(ctx, job_id)
  await store.deleteVerdicts(ctx.db, job_id)
  const none = { rows_done: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, rejected: 0, digest: '' }
  await store.updateImport(ctx.db, { ...found, ...none, state: 'running', updated_at: timestamp(ctx.now) })
}

/** @throws AppError `import_not_found`, `import_finished` */
export async function cancel(ctx: ChangeContext, { job_id }: { job_id: string }): Promise<void> {
  const found = await getForChange(ctx, job_id)
  if (found.state === 'done')
    throw new AppError('import_finished', 'The import has ended and cannot be cancelled. Its changes stay.')
  const now = timestamp(ctx.now)
  const next = { ...found, state: 'cancelled', updated_at: now, finished_at: found.finished_at ?? now } as const
  await store.updateImport(ctx.db, next)
  ctx.record(endEntry(next, 'import.cancelled'))
}

async function getForChange(ctx: ChangeContext, jobId: string): Promise<store.ImportRecord> {
  const found = isUuid(jobId) ? await store.findImportForChange(ctx.db, scopeOf(ctx.actor), jobId) : undefined
  if (found === undefined) throw unknownImport()
  return found
}

function unknownImport(): AppError {
  return new AppError('import_not_found', 'There is no import with this id. Imports are deleted after a month.')
}

export function cancelled(): AppError {
  return new AppError('import_cancelled', 'The import was cancelled. Its changes up to then stay.')
}

export async function exists({ db }: Pick<Context, 'db'>, jobId: string): Promise<boolean> {
  return (await store.findImport(db, scopeOf(system), jobId)) !== undefined
}

/** Whether this import exists and is finished. */
export async function isDone(ctx: Context, jobId: string): Promise<boolean> {
  return (await store.findImport(ctx.db, scopeOf(ctx.actor), jobId))?.state === 'done'
}

/** @throws AppError `import_not_found` */
export async function get(ctx: Context, jobId: string): Promise<ImportJob> {
  return present(ctx, await find(ctx, jobId))
}

async function find(ctx: Context, jobId: string): Promise<store.ImportRecord> {
  const found = isUuid(jobId) ? await store.findImport(ctx.db, scopeOf(ctx.actor), jobId) : undefined
  if (found === undefined) throw unknownImport()
  return found
}

export async function list(ctx: Context, limit: number): Promise<ImportJob[]> {
  const found = await store.listImports(ctx.db, scopeOf(ctx.actor), limit)
  return Promise.all(found.map((one) => present(ctx, one)))
}

async function present(ctx: Context, row: store.ImportRecord): Promise<ImportJob> {
  const { options, digest: _, organization_id: __, state, ...rest } = row
  const isSilent = state === 'running' && Date.parse(row.updated_at) < ctx.now - patienceMs
  const rejects = row.rejected === 0 ? [] : await firstRejects(ctx, row.job_id)
  return { ...rest, state: isSilent ? 'interrupted' : state, ...(JSON.parse(options) as JobOptions), rejects }
}

async function firstRejects(ctx: Context, jobId: string): Promise<ImportedRow[]> {
  const rejects: ImportedRow[] = []
  let after = 0
  while (rejects.length < shownRejects) {
    const pieces = await store.findRejects(ctx.db, { jobId, after, limit: 10 })
    for (const piece of pieces) rejects.push(...unpacked(piece).filter(({ verdict }) => verdict === 'rejected'))
    if (pieces.length < 10) break
    after = Number(pieces.at(-1)?.first_row)
  }
  return rejects.slice(0, shownRejects)
}

/** Yields the verdicts in row order, some hundred at a time. @throws AppError `import_not_found` */
export async function rows(
  ctx: Context,
  jobId: string,
  { wanted, behind }: { wanted: ReadonlySet<string> | undefined; behind: number },
): Promise<AsyncGenerator<ImportedRow[]>> {
  await find(ctx, jobId)
  const firstLine = await store.findBegin(ctx.db, jobId, behind + 1)
  const isRejectsOnly = wanted?.size === 1 && wanted.has('rejected')
  const read = isRejectsOnly ? store.findRejects : store.findVerdicts
  return (async function* () {
    for (let after = firstLine - 1; ; ) {
      const [piece] = await read(ctx.db, { jobId, after, limit: 1 })
      if (piece === undefined) return
      after = Number(piece.first_row)
      const verdicts = unpacked(piece).filter(({ row }) => row > behind)
      yield wanted === undefined ? verdicts : verdicts.filter(({ verdict }) => wanted.has(verdict))
    }
  })()
}

/** Deletes old imports. */
export async function prune(
  ctx: ChangeContext,
  { before, everyMs }: { before: string; everyMs: number },
): Promise<void> {
  if (await claimRun(ctx, 'imports.prune', everyMs)) await store.deleteImportsBefore(ctx.db, before, importsAtOnce)
}
