import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

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

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It ended in between.
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

/** Each process of PostgreSQL leads a group of its own, so they are found by their parent. */
export function childrenOf(parent: number): number[] {
  return processes().flatMap(([pid, parentPid]) => (parentPid === parent ? [pid] : []))
}

/** Process id and parent's process id. Small images of Linux have no `ps`. */
function processes(): [number, number][] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
    return lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  }
  return globSync('/proc/[0-9]*/stat').flatMap((file): [number, number][] => {
    try {
      // "pid (name) state parent …", where the name may hold anything.
      const text = readFileSync(file, 'utf8')
      return [[Number.parseInt(text, 10), Number(text.slice(text.lastIndexOf(')')).split(' ')[2])]]
    } catch {
      // It ended in between.
      return []
    }
  })
}
