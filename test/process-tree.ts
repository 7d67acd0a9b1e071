/** The processes that a process started. */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It ended in between.
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

/** Returns the processes that a process started itself: those of PostgreSQL lead groups of their own. */
export function childrenOf(parent: number): number[] {
  return processes().flatMap((one) => (one.parent === parent ? [one.pid] : []))
}

/** Returns the command line of a process; empty if it has ended. */
export function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    // It ended in between.
    return ''
  }
}

/** Returns the processes that a process started, and those that these started, at any depth. */
export function descendantsOf(pid: number): number[] {
  const all = processes()
  const below = (parent: number): number[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one.pid, ...below(one.pid)])
  return below(pid)
}

/**
 * Returns the processes that the children of this one started, and those further below. One that leads a group of its own, such as the
 * guard of a cluster, is to outlive its parent and left out.
 */
export function grandchildrenOf(pid: number): number[] {
  const all = processes()
  const group = all.find((one) => one.pid === pid)?.group
  const below = (parent: number): number[] =>
    all.filter((one) => one.parent === parent && one.group === group).flatMap((one) => [one.pid, ...below(one.pid)])
  const children = all.filter((one) => one.parent === pid)
  return children.flatMap((child) => below(child.pid))
}

type Process = { pid: number; parent: number; group: number }

/** Small images of Linux have no `ps`. */
function processes(): Process[] {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid='], { encoding: 'utf8' }).trim().split('\n')
    return lines.map((line) => {
      const [pid = 0, parent = 0, group = 0] = line.trim().split(/\s+/).map(Number)
      return { pid, parent, group }
    })
  }
  return globSync('/proc/[0-9]*/stat').flatMap((file): Process[] => {
    try {
      // "pid (name) state parent group …", where the name may hold anything.
      const text = readFileSync(file, 'utf8')
      const [, , parent, group] = text.slice(text.lastIndexOf(')')).split(' ')
      return [{ pid: Number.parseInt(text, 10), parent: Number(parent), group: Number(group) }]
    } catch {
      // It ended in between.
      return []
    }
  })
}
