import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Chore, Job } from '../storage/writer-protocol.ts'

export type Sent = Job[] | Chore | 'close'

/** What the main thread has sent and the writer thread has not started, in its order. */
export type Inbox = {
  readonly hasJobs: boolean
  readonly hasChores: boolean
  /** No more jobs follow. */
  readonly isClosing: boolean
  add(message: Sent): void
  /** Adds what has arrived since the last turn of the event loop: the more changes share a commit, the less each costs. */
  gather(): void
  /** Removes and returns up to `limit` jobs, and none from the first one on that `may` not run. */
  nextJobs(limit: number, may?: (job: Job) => boolean): Job[]
  /** These run before all others. */
  putFirst(jobs: readonly Job[]): void
  /** Removes and returns all chores. */
  nextChores(): Chore[]
}

export function openInbox(port: MessagePort): Inbox {
  const jobs: Job[] = []
  let chores: Chore[] = []
  let isClosing = false

  function add(message: Sent): void {
    if (message === 'close') isClosing = true
    else if ('chore' in message) chores.push(message)
    else jobs.push(...message)
  }

  return {
    get hasJobs() {
      return jobs.length > 0
    },
    get hasChores() {
      return chores.length > 0
    },
    get isClosing() {
      return isClosing
    },
    add,
    gather() {
      for (let sent = receiveMessageOnPort(port); sent !== undefined; sent = receiveMessageOnPort(port))
        add(sent.message)
    },
    nextJobs(limit, may) {
      const other = may === undefined ? -1 : jobs.slice(0, limit).findIndex((job) => !may(job))
      return jobs.splice(0, other === -1 ? limit : other)
    },
    putFirst(first) {
      jobs.unshift(...first)
    },
    nextChores() {
      const all = chores
      chores = []
      return all
    },
  }
}
