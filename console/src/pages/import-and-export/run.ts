/** The imports that this page sends. They continue while other pages of the console are open. */
import { i18n } from '@lingui/core'
import { useSyncExternalStore } from 'react'
import {
  ConnectionError,
  type ImportedRow,
  type ImportJob,
  RollbookError,
  UnexpectedAnswerError,
} from 'rollbook/client'
import { api, queryClient } from '../../api/client.ts'
import { confirming } from '../../api/confirm.ts'
import { meQuery } from '../../api/me.ts'
import { weatherNow } from '../../api/weather.ts'
import { createRate } from '../../lib/rate.ts'
import { separatorOf } from '../../parts/exports/sheet.ts'
import type { Mapping } from './columns.ts'
import { feed } from './feed.ts'
import { forgetPlan, keepPlan } from './kept-plans.ts'
import type { ImportPlan } from './plan.ts'
import { type RejectsFile, rejectsFile } from './rejects-file.ts'
import { openSource } from './source.ts'

export type ImportRun = {
  jobId: string
  isDryRun: boolean
  fileName: string
  /** `waiting`: for the network, the service or a sign-in; it continues automatically. */
  state: 'running' | 'waiting' | 'done' | 'stopped' | 'failed'
  /** The job as the server reported it last. */
  job: ImportJob | undefined
  total: { rows: number; isExact: boolean } | undefined
  perSecond: number | undefined
  problem: unknown
  rejects: RejectsFile
  mapping: Mapping
}

type Running = { run: ImportRun; stop: AbortController; plan: ImportPlan }

const runs = new Map<string, Running>()
const listeners = new Set<() => void>()

function set(jobId: string, change: Partial<ImportRun>): void {
  const running = runs.get(jobId)
  if (running === undefined) return
  running.run = { ...running.run, ...change }
  for (const listener of listeners) listener()
}

export function useRun(jobId: string | undefined): ImportRun | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => (jobId === undefined ? undefined : runs.get(jobId)?.run),
  )
}

/** Sends the file from the first row that is not done. Does nothing if this page is already sending it. */
export function startRun(
  jobId: string,
  plan: ImportPlan,
  { isDryRun, done }: { isDryRun: boolean; done?: ImportJob | undefined },
): void {
  const before = runs.get(jobId)?.run.state
  if (before === 'running' || before === 'waiting' || before === 'done') return
  const source = openSource(plan.file, plan.shape, plan.mapping, plan.types)
  const stop = new AbortController()
  const run: ImportRun = {
    jobId,
    isDryRun,
    fileName: plan.file.name,
    state: 'running',
    job: done,
    total: plan.totalRows === undefined ? undefined : { rows: plan.totalRows, isExact: true },
    perSecond: undefined,
    problem: undefined,
    rejects: rejectsFile(
      source.columns,
      plan.shape.format === 'xlsx' ? separatorOf(i18n.locale) : plan.shape.separator,
    ),
    mapping: plan.mapping,
  }
  runs.set(jobId, { run, stop, plan })
  set(jobId, {})
  void alone(jobId, () => carryOut(jobId, plan, source, stop.signal, { isDryRun, done }))
}

const lockName = (jobId: string) => `rollbook-import-${jobId}`
/** Locks do not exist on plain http. Two pages that send the same file then do so twice, without harm. */
const { locks } = navigator as { locks?: LockManager }

function alone(jobId: string, work: () => Promise<void>): Promise<void> {
  return locks === undefined ? work() : locks.request(lockName(jobId), work)
}

/** Whether another page of this browser is sending it. */
export async function isSentElsewhere(jobId: string): Promise<boolean> {
  const { held = [] } = (await locks?.query()) ?? {}
  return held.some(({ name }) => name === lockName(jobId))
}

function ownerId(): string {
  return queryClient.getQueryData(meQuery.queryKey)?.user_id ?? ''
}

async function carryOut(
  jobId: string,
  plan: ImportPlan,
  source: ReturnType<typeof openSource>,
  signal: AbortSignal,
  { isDryRun, done }: { isDryRun: boolean; done?: ImportJob | undefined },
): Promise<void> {
  const { rejects } = runs.get(jobId)?.run ?? {}
  if (rejects === undefined) return
  const rate = createRate()
  rate.note(done?.rows_done ?? 0, performance.now())
  const { options, totalRows } = plan
  const persistent = <T>(work: () => Promise<T>) => persist(jobId, signal, work)
  try {
    // A plan that cannot be kept ends with the page.
    const isKept = isDryRun || (await keepPlan(jobId, plan, ownerId()))
    if (!isKept) window.addEventListener('beforeunload', warn)
    const job = await feed(
      source,
      { rows_done: done?.rows_done ?? 0, rejected: done?.rejected ?? 0 },
      {
        signal,
        send: (body, place) =>
          persistent(() =>
            confirming(() =>
              api.imports.send(body, {
                mode: options.mode,
                match: options.match,
                ...(options.mode === 'create' && { on_conflict: options.on_conflict }),
                file_name: plan.file.name.slice(0, 255),
                contentType: source.contentType,
                job_id: jobId,
                ...place,
                dryRun: isDryRun,
                signal,
              }),
            ),
          ),
        rejectedAfter: (row) => rejectedAfter(row, (after) => persistent(() => someRejected(jobId, after, signal))),
        onRejects: (found) => rejects.add(found),
        onProgress(found, total) {
          rate.note(found.rows_done, performance.now())
          const known = totalRows === undefined ? total : { rows: totalRows, isExact: true }
          set(jobId, { job: found, total: known, perSecond: rate.perSecond() })
        },
      },
    )
    set(jobId, { state: 'done', job, total: { rows: job.rows_done, isExact: true } })
    await forgetPlan(jobId)
    if (!isDryRun) void queryClient.invalidateQueries({ queryKey: ['users'] })
  } catch (error) {
    if (signal.aborted) set(jobId, { state: 'stopped' })
    else set(jobId, { state: 'failed', problem: error })
  } finally {
    window.removeEventListener('beforeunload', warn)
    void queryClient.invalidateQueries({ queryKey: ['imports'] })
  }
}

const rejectedAtOnce = 5000

/** Reads several responses, each of which can be retried. */
async function* rejectedAfter(row: number, read: (after: number) => Promise<ImportedRow[]>) {
  for (let after = row; ; ) {
    const found = await read(after)
    yield* found
    const last = found.at(-1)
    if (last === undefined || found.length < rejectedAtOnce) return
    after = last.row
  }
}

async function someRejected(jobId: string, after_row: number, signal: AbortSignal): Promise<ImportedRow[]> {
  const found: ImportedRow[] = []
  for await (const row of api.imports.rows(jobId, { verdict: ['rejected'], after_row }, { signal })) {
    found.push(row)
    if (found.length === rejectedAtOnce) break
  }
  return found
}

/** Retries what has failed, from where the server is. */
export async function retryRun(jobId: string): Promise<void> {
  const running = runs.get(jobId)
  if (running?.run.state !== 'failed') return
  const { plan, run } = running
  set(jobId, { state: 'running', problem: undefined })
  try {
    const done = await api.imports.get(jobId)
    runs.delete(jobId)
    startRun(jobId, plan, { isDryRun: run.isDryRun, done })
  } catch (problem) {
    // The first part may never have arrived.
    if (problem instanceof RollbookError && problem.code === 'import_not_found') {
      runs.delete(jobId)
      startRun(jobId, plan, { isDryRun: run.isDryRun })
    } else set(jobId, { state: 'failed', problem })
  }
}

/** Stops sending. Rows already imported are kept. */
export function stopRun(jobId: string): void {
  runs.get(jobId)?.stop.abort()
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Retries until it succeeds, is stopped, or a retry is useless. */
async function persist<T>(jobId: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried += 1) {
    try {
      const result = await work()
      set(jobId, { state: 'running', problem: undefined })
      return result
    } catch (error) {
      signal.throwIfAborted()
      const pauseMs = pauseAfter(error, tried)
      if (pauseMs === undefined) throw error
      set(jobId, { state: 'waiting', problem: error })
      await pause(pauseMs, signal)
      if (error instanceof RollbookError && error.status === 401) await signedIn(signal)
    }
  }
}

function pauseAfter(error: unknown, tried: number): number | undefined {
  const backoff = Math.min(500 * 2 ** tried, 10_000)
  if (error instanceof ConnectionError) return backoff
  if (!(error instanceof RollbookError || error instanceof UnexpectedAnswerError)) return undefined
  const mayPass =
    [401, 408, 429, 502, 503, 504].includes(error.status) ||
    (error instanceof RollbookError && error.code === 'import_busy')
  return mayPass ? Math.max(backoff, (error.retryAfterSeconds ?? 0) * 1000) : undefined
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** The page itself asks the user to sign in again. */
async function signedIn(signal: AbortSignal): Promise<void> {
  while (weatherNow().isSignedOut) await pause(300, signal)
}
