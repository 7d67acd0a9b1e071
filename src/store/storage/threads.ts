import { type ResourceLimits, Worker } from 'node:worker_threads'

/** Threads of closed stores, by what they run. */
let idle: Map<string, Worker[]> | undefined

/**
 * For the tests, which open thousands of stores: a thread that has let go of its store serves the next one. Loading what
 * it runs takes longer than anything that most of them ask of it.
 */
export function keepThreads(): void {
  idle ??= new Map()
}

export function startThread(url: URL, setup: unknown, resourceLimits?: ResourceLimits): Worker {
  const worker = idle?.get(url.href)?.pop() ?? new Worker(url, resourceLimits && { resourceLimits })
  worker.ref()
  worker.postMessage(setup)
  return worker
}

/** Of a thread that has let go of its store. */
export async function endThread(url: URL, worker: Worker): Promise<void> {
  if (idle === undefined) {
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage('end')
    await ended
    return
  }
  // Not all at once: Node listens for others by itself.
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
  worker.unref()
  idle.set(url.href, [...(idle.get(url.href) ?? []), worker])
}
