import { childrenOf, signal } from '../process-tree.ts'

/** Stops the postmaster first, so that it starts no more processes, and answers all of them. */
export function stopAll(postmaster: number): number[] {
  signal(postmaster, 'SIGSTOP')
  const stopped = new Set([postmaster])
  // Once more: it may have been starting one.
  for (let round = 0; round < 2; round += 1) {
    for (const pid of childrenOf(postmaster)) {
      signal(pid, 'SIGSTOP')
      stopped.add(pid)
    }
  }
  return [...stopped]
}
