import { Worker } from 'node:worker_threads'
import { AppError, fromRefusal } from '../../errors.ts'
import type { ReaderAnswer, ReaderRequest } from './reader-protocol.ts'

type Waiting = {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
  deadline: NodeJS.Timeout | undefined
}
type Call = ReaderRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

export type Reader = {
  call(request: Call, options?: { withinMs?: number }): Promise<unknown>
  /** Sends without waiting for an answer; nothing happens when the thread is not there. */
  tell(request: Call): void
  close(): Promise<void>
}

/**
 * The main thread's side of a reader thread. The thread starts with the first call, so that an idle service stays
 * small, and is replaced when a query outlives its limit: SQLite cannot be interrupted from outside.
 */
export function lazyReader(path: string): Reader {
  let worker: Worker | undefined
  let lastId = 0
  let waiting = new Map<number, Waiting>()

  function start(): Worker {
    const started = new Worker(new URL('./reader-thread.ts', import.meta.url), { workerData: { path } })
    const mine = new Map<number, Waiting>()
    waiting = mine
    const drop = (error: Error) => {
      if (worker === started) worker = undefined
      for (const { reject, deadline } of mine.values()) {
        clearTimeout(deadline)
        reject(error)
      }
      mine.clear()
    }
    started.on('message', (answer: ReaderAnswer) => {
      const call = mine.get(answer.id)
      if (call === undefined) return
      mine.delete(answer.id)
      clearTimeout(call.deadline)
      if ('refusal' in answer) call.reject(fromRefusal(answer.refusal))
      else if ('fault' in answer)
        call.reject(Object.assign(new Error(answer.fault.message), { stack: answer.fault.stack }))
      else call.resolve(answer.value)
    })
    started.once('error', drop)
    started.once('exit', () =>
      drop(new AppError('overloaded', 'The read took too long; narrow the search or try again.')),
    )
    return started
  }

  return {
    call(request, { withinMs } = {}) {
      worker ??= start()
      const id = ++lastId
      const current = worker
      return new Promise((resolve, reject) => {
        const deadline = withinMs === undefined ? undefined : setTimeout(() => void current.terminate(), withinMs)
        waiting.set(id, { resolve, reject, deadline })
        current.postMessage({ id, ...request })
      })
    },
    tell(request) {
      worker?.postMessage({ id: 0, ...request })
    },
    async close() {
      if (worker === undefined) return
      const ended = new Promise((resolve) => worker?.once('exit', resolve))
      worker.postMessage({ id: 0, kind: 'end' })
      await ended
    },
  }
}
