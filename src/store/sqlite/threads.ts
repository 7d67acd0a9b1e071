import { type ResourceLimits, Worker } from 'node:worker_threads'

/** Idle threads, by module. */
let idle: Map<string, Worker[]> | undefined

/**
 * For the tests, which open thousands of stores and send messages from hundreds: an idle thread serves the next one. Loading its
 * modules takes longer than most of those tests.
 */
export function keepThreads(): void {
  idle ??= new Map()
}

/**
 * Node's option for a small young generation would also apply to the writer thread, whose import batches outlive one:
 * moving short-lived objects took a tenth of its time.
 */
export const writerLimits: ResourceLimits = { maxYoungGenerationSizeMb: 24 }

let early: { url: URL; worker: Worker } | undefined

/** Starts the thread that the next store will ask for, so that it loads its modules while the main thread loads its own. */
export function startEarly(url: URL, resourceLimits: ResourceLimits): void {
  early = { url, worker: new Worker(url, { resourceLimits }) }
}

function takeEarly(url: URL): Worker | undefined {
  if (early?.url.href !== url.href) return undefined
  const { worker } = early
  early = undefined
  return worker
}

/** Starts a thread, whose first message is the setup. */
export function startThread(url: URL, setup: unknown, resourceLimits?: ResourceLimits): Worker {
  const worker = takeEarly(url) ?? idle?.get(url.href)?.pop() ?? new Worker(url, resourceLimits && { resourceLimits })
  worker.ref()
  worker.postMessage(setup)
  return worker
}

/** Sent by a thread that closed its store. */
export async function endThread(url: URL, worker: Worker): Promise<void> {
  if (keepIdle(url, worker)) return
  const exited = new Promise((resolve) => worker.once('exit', resolve))
  worker.postMessage('end')
  await exited
}

/** Keeps a thread without work for the next `startThread`. Returns false outside of the tests: then the caller ends it. */
export function keepIdle(url: URL, worker: Worker): boolean {
  if (idle === undefined) return false
  // Not removeAllListeners(): Node itself listens for other events.
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
  worker.unref()
  idle.set(url.href, [...(idle.get(url.href) ?? []), worker])
  return true
}
