import { readdir, readFile, readlink } from 'node:fs/promises'
import { getPriority, platform, setPriority } from 'node:os'
import { basename, join } from 'node:path'

/** With a third of the usual weight: a core that nothing else needs still hashes at full speed. */
export const hashPriority = 5

const tasks = '/proc/self/task'

/**
 * Lets requests run before hashes, which take 10 ms of a core each. Linux has a priority for each thread; elsewhere this
 * does nothing. File work, which is brief, shares libuv's threads and their priority.
 */
export async function yieldToRequests(): Promise<void> {
  // libuv starts all its threads with the first work, at the latest with this.
  for (const thread of await threadIds()) {
    if ((await nameOf(thread)) === 'libuv-worker') lower(Number(thread))
  }
}

/** The same for the thread that calls it. */
export async function yieldFromThisThread(): Promise<void> {
  const thread = platform() === 'linux' ? await readlink('/proc/thread-self').catch(() => undefined) : undefined
  if (thread !== undefined) lower(Number(basename(thread)))
}

async function threadIds(): Promise<string[]> {
  return platform() === 'linux' ? readdir(tasks).catch(() => []) : []
}

/** The name of a thread; undefined if it has already ended. */
function nameOf(thread: string): Promise<string | undefined> {
  return readFile(join(tasks, thread, 'comm'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}

function lower(thread: number): void {
  try {
    // A process that was started with a lower priority keeps it.
    if (getPriority(thread) < hashPriority) setPriority(thread, hashPriority)
  } catch {
    // A sandbox may forbid it, or the thread has ended: hashes then run as before.
  }
}
