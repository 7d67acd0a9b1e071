import { AppError, fromRefusal } from '../../core/errors.ts'
import { shareFaults } from '../../lib/fault-owner.ts'
import type { Announcement } from '../context.ts'
import type { ChangeLoad } from '../storage/load.ts'
import type { Chore, Fault, Job, Outcome, WriterMessage, WriterSetup } from '../storage/writer-protocol.ts'
import { endThread, startThread, writerLimits } from './threads.ts'

type Done = Extract<Outcome, { result: unknown }>
type Waiting = { resolve: (outcome: Done) => void; reject: (error: Error) => void }

export type Writer = {
  readonly migrated: readonly string[]
  readonly waiting: number
  load(): ChangeLoad
  run(job: Omit<Job, 'id'>): Promise<Done>
  /** Runs after the changes sent before. */
  doChore(chore: Chore['chore']): Promise<boolean>
  isRunning(): boolean
  close(): Promise<void>
}

/** The thread runs the first changes of a turn of the event loop while this one parses the others. */
const portion = 4

/** The main thread's side of the writer thread: sends changes in portions, and the last of a turn at its end. */
export async function startWriter(
  setup: WriterSetup,
  options: {
    /** The module that the thread starts with. */
    program: URL
    queueLimit: number
    onFault: (error: Error) => void
    /** Called with a commit's announcements, before its changes are acknowledged. */
    onAnnouncement: (event: Announcement) => void
    /** Called with each refused change. */
    onRefusal?: (error: Error) => void
    /** Called with the progress of an upgrade's migrations. */
    onMigrating?: (message: string) => void
    /** Called when the log cannot be written back into the database, and again only after it could. */
    onLogFault?: (error: Error) => void
  },
): Promise<Writer> {
  const worker = startThread(options.program, setup, writerLimits)
  const waiting = new Map<number, Waiting>()
  let outbox: Job[] = []
  let lastId = 0
  let ready = false
  let stopped: Error | undefined
  let closing = false
  let refused = 0
  const closed = Promise.withResolvers<void>()

  const fail = (error: Error) => {
    stopped ??= error
    const refusal = new AppError(
      'storage_unavailable',
      'The storage stopped, so it is unknown whether this change happened. Read the resource before you repeat the request.',
      {
        retryAfterSeconds: 5,
        cause: error,
      },
    )
    for (const { reject } of waiting.values()) reject(refusal)
    waiting.clear()
  }

  const migrated = await new Promise<readonly string[]>((resolve, reject) => {
    worker.on('message', (message: WriterMessage) => {
      // Under `node --watch` a thread also reports the files it loads.
      if (message.kind === 'done') {
        for (const event of message.announcements) options.onAnnouncement(event)
        for (const outcome of message.outcomes) resolveChange(outcome)
      } else if (message.kind === 'ready') {
        ready = true
        resolve(message.migrated)
      } else if (message.kind === 'migrating') {
        options.onMigrating?.(message.message)
      } else if (message.kind === 'log_fault') {
        options.onLogFault?.(toError(message.fault))
      } else if (message.kind === 'closed') {
        closed.resolve()
      }
    })
    const end = (error: Error) => {
      if (stopped !== undefined) return
      // Before it is ready, the rejection tells the caller.
      reject(error)
      fail(error)
      if (ready) options.onFault(error)
    }
    worker.once('error', end)
    worker.once('exit', (code) => {
      const error = new Error(`The writer thread has ended with code ${code}.`)
      if (closing) fail(error)
      else end(error)
      closed.resolve()
    })
  })

  function resolveChange(outcome: Outcome): void {
    const job = waiting.get(outcome.id)
    if (job === undefined) return
    waiting.delete(outcome.id)
    if ('result' in outcome) job.resolve(outcome)
    else if ('refusal' in outcome) {
      const error = fromRefusal(outcome.refusal)
      options.onRefusal?.(error)
      if (outcome.replayed) error.headers['idempotency-replayed'] = 'true'
      job.reject(error)
    } else {
      job.reject(toError(outcome.fault))
    }
  }

  function flush(): void {
    if (outbox.length === 0) return
    const jobs = outbox
    outbox = []
    send(jobs)
  }

  /** If one of them holds what no thread can be sent, the others are sent without it. */
  function send(jobs: Job[]): void {
    try {
      worker.postMessage(jobs)
    } catch (error) {
      if (jobs.length > 1) {
        for (const job of jobs) send([job])
        return
      }
      const [{ id }] = jobs as [Job]
      waiting.get(id)?.reject(error as Error)
      waiting.delete(id)
    }
  }

  return {
    migrated,
    get waiting() {
      return waiting.size
    },
    load: () => ({ waiting: waiting.size, limit: options.queueLimit, refused }),
    isRunning: () => stopped === undefined,
    run(job) {
      if (stopped !== undefined || closing) {
        const detail = 'The storage is not available; nothing was changed. Try again.'
        return Promise.reject(new AppError('storage_unavailable', detail, { retryAfterSeconds: 5, cause: stopped }))
      }
      if (waiting.size >= options.queueLimit) {
        refused++
        return Promise.reject(new AppError('overloaded', 'Too many changes at once; nothing was changed. Try again.'))
      }
      const id = ++lastId
      const outcome = new Promise<Done>((resolve, reject) => waiting.set(id, { resolve, reject }))
      outbox.push({ id, ...job })
      if (outbox.length === portion) flush()
      else if (outbox.length === 1) shareFaults(() => setImmediate(flush))
      return outcome
    },
    async doChore(chore) {
      if (stopped !== undefined || closing)
        throw new AppError('storage_unavailable', 'The storage is not available. Try again.')
      const id = ++lastId
      flush()
      worker.postMessage({ id, chore } satisfies Chore)
      const { result } = await new Promise<Done>((resolve, reject) => waiting.set(id, { resolve, reject }))
      return result as boolean
    },
    async close() {
      if (stopped !== undefined) return
      closing = true
      flush()
      worker.postMessage('close')
      await closed.promise
      if (stopped !== undefined) return
      fail(new Error('The writer is closed.'))
      await endThread(options.program, worker)
    },
  }
}

function toError({ message, stack }: Fault): Error {
  return Object.assign(new Error(message), { stack })
}
