import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { AppError, fromRefusal } from '../../core/errors.ts'
import { shareFaults } from '../../lib/fault-owner.ts'
import { clientGone, createFairQueue } from '../storage/fair-queue.ts'
import type { ReaderAnswer, ReaderReady, ReaderRequest, ReaderSetup } from './reader-protocol.ts'
import { endThread, startThread } from './threads.ts'

type Call =
  Exclude<ReaderRequest, { kind: 'close' | 'end' }> extends infer R
    ? R extends { id: number }
      ? Omit<R, 'id'>
      : never
    : never

type ReaderJob = {
  request: Call
  caller: string
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

type Message = ReaderRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

export type Reader = {
  /** A job whose `signal` fires is dropped; a running one stops within some rows. */
  call(request: Call, options: { caller: string; signal?: AbortSignal }): Promise<unknown>
  /** Sends without waiting for a response; does nothing without a thread. */
  post(request: Message): void
  /** Refuses waiting jobs, and does not wait for running ones. */
  close(): Promise<void>
}

export type ReaderOptions = {
  /** The module that the thread starts with. */
  program: URL
  path: string
  /** How many jobs may wait. */
  queueLimit: number
  /** How many jobs the thread has at once: one runs, the others are ready when it is done. */
  handedOver: number
  /** How long the thread may work on one job. */
  limitMs: number
  /** Called with each job that was refused. */
  onRefusal?: (error: Error) => void
  /** Called when the thread ended unexpectedly. */
  onReplaced?: (error: Error) => void
}

/** A thread ends only after its current statement. At most this many threads may be ending at once. */
const maxEnding = 2
/** How long a closing store waits for cancelled jobs before it terminates the thread. */
const cancelGraceMs = 100
/** How long it waits for a thread in the middle of a statement. */
const closeGraceMs = 500
/** Smaller than every job's id. */
const endId = 0

/** A thread and its jobs, in the order in which it runs them. */
type Thread = {
  worker: Worker
  isReady: boolean
  jobs: Map<number, ReaderJob>
  cancelled: ReaderSetup['cancelled']
}

/**
 * The main thread's side of a reader thread. The thread starts with the first call, so that an idle service stays
 * small. Statements check now and then whether their job was cancelled. If a job still exceeds its limit, it fails and
 * the thread is replaced, because SQLite cannot be interrupted from outside. Waiting jobs are kept here and are not
 * affected.
 */
export function lazyReader(options: ReaderOptions): Reader {
  const { program, path, queueLimit, handedOver, limitMs, onRefusal, onReplaced } = options
  const queue = createFairQueue<ReaderJob>(queueLimit)
  let thread: Thread | undefined
  let deadline: NodeJS.Timeout | undefined
  let ending = 0
  let lastId = 0
  let closed = false

  function start(): Thread {
    // One place more than there are jobs at once, so that no two share a place.
    const cancelled = new Int32Array(new SharedArrayBuffer(4 * (handedOver + 1)))
    const worker = startThread(program, { path, cancelled } satisfies ReaderSetup)
    const started: Thread = { worker, isReady: false, jobs: new Map(), cancelled }
    worker.on('message', (message: ReaderAnswer | ReaderReady) => {
      if (thread !== started) return
      if (message !== 'ready') return resolveJob(started, message)
      started.isReady = true
      watch(started)
    })
    worker.once('error', (error: Error) => replace(started, error))
    worker.once('exit', () => replace(started, new Error('The reader thread has ended.')))
    return started
  }

  function handOver(): void {
    if (closed || (thread === undefined && ending >= maxEnding)) return
    while (queue.length > 0 && (thread?.jobs.size ?? 0) < handedOver) {
      const job = queue.next() as ReaderJob
      thread ??= shareFaults(start)
      const id = ++lastId
      thread.jobs.set(id, job)
      thread.worker.postMessage({ id, ...job.request })
      if (thread.jobs.size === 1) watch(thread)
    }
  }

  /** The thread starts its first job now. Loading its modules, which takes long on a busy machine, is not part of a job. */
  function watch(current: Thread): void {
    clearTimeout(deadline)
    deadline = undefined
    if (!current.isReady || current.jobs.size === 0) return
    deadline = setTimeout(() => {
      const detail = `The search took longer than ${limitMs / 1000} seconds and was stopped. Narrow it, or leave out count=true.`
      replace(current, new AppError('overloaded', detail))
    }, limitMs)
  }

  /** The thread responds at its next check; until then the job keeps its place. */
  function cancel(job: ReaderJob): void {
    for (const [id, other] of thread?.jobs ?? []) {
      if (other === job) Atomics.store((thread as Thread).cancelled, id % (thread as Thread).cancelled.length, id)
    }
  }

  function resolveJob(current: Thread, response: ReaderAnswer): void {
    const job = current.jobs.get(response.id)
    if (job === undefined) return
    current.jobs.delete(response.id)
    watch(current)
    if ('refusal' in response) {
      const refusal = fromRefusal(response.refusal)
      onRefusal?.(refusal)
      job.reject(refusal)
    } else if ('fault' in response)
      job.reject(Object.assign(new Error(response.fault.message), { stack: response.fault.stack }))
    else job.resolve(response.value)
    handOver()
  }

  /** The running job fails with `error`. The others move to the next thread, except reads of lost snapshots. */
  function replace(old: Thread, error: Error): void {
    if (thread !== old) return
    thread = undefined
    clearTimeout(deadline)
    if (!(error instanceof AppError)) onReplaced?.(error)
    ending++
    old.worker.terminate().finally(() => {
      ending--
      handOver()
    })
    const [guilty, ...others] = old.jobs.values()
    guilty?.reject(error)
    for (const job of others.reverse()) {
      if (job.request.kind === 'next') job.reject(new Error('The snapshot was lost because its thread ended.'))
      else queue.putBack(job)
    }
    handOver()
  }

  return {
    call(request, { caller, signal }) {
      return new Promise((resolve, reject) => {
        if (closed) throw stopping()
        if (signal?.aborted) throw clientGone()
        const abandon = () => {
          if (queue.remove(job)) job.reject(clientGone())
          else cancel(job)
        }
        const job: ReaderJob = {
          request,
          caller,
          resolve(value) {
            signal?.removeEventListener('abort', abandon)
            resolve(value)
          },
          reject(error) {
            signal?.removeEventListener('abort', abandon)
            reject(error)
          },
        }
        queue.add(job)
        signal?.addEventListener('abort', abandon)
        handOver()
      })
    },
    post(request) {
      thread?.worker.postMessage({ id: 0, ...request })
    },
    async close() {
      closed = true
      clearTimeout(deadline)
      for (const job of queue.clear()) job.reject(stopping())
      if (thread === undefined) return
      const { worker, jobs, cancelled } = thread
      thread = undefined
      let isTerminated = false
      const exited = new Promise<void>((resolve) => {
        worker.once('exit', () => resolve())
        worker.on('message', (message: ReaderAnswer | ReaderReady) => {
          // What it sent before it was terminated may arrive after that.
          if (message !== 'ready' && message.id === endId && !isTerminated) resolve(endThread(program, worker))
        })
      })
      for (const [id, job] of jobs) {
        Atomics.store(cancelled, id % cancelled.length, id)
        job.reject(stopping())
      }
      worker.postMessage({ id: endId, kind: 'end' })
      const inStatement = setTimeout(() => {
        isTerminated = true
        void worker.terminate()
      }, cancelGraceMs)
      await Promise.race([exited, sleep(closeGraceMs, undefined, { ref: false })])
      clearTimeout(inStatement)
    },
  }
}

const stopping = () => new AppError('draining', 'The service is stopping.')
