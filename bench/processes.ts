/** The child processes of a measurement, and what the system says of them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

export const root = join(import.meta.dirname, '..')
export const cores = Math.min(2, availableParallelism())

export function hasProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

// Servers and load share two cores, also where there are more.
const pinned = availableParallelism() > cores && hasProgram('taskset') ? ['taskset', '-c', '0,1'] : []

export type Owner = { uid: number; gid: number }
type Options = { env?: NodeJS.ProcessEnv; cwd?: string; output?: 'pipe' | 'ignore'; owner?: Owner }

/** Starts a program that runs until it is stopped. What it prints goes nowhere; its errors can be read. */
export function launch(command: readonly string[], options: Options = {}): ChildProcess {
  const { env = process.env, cwd = root, output = 'ignore', owner } = options
  const [program, ...rest] = [...pinned, ...command] as [string, ...string[]]
  return spawn(program, rest, { cwd, env, stdio: ['ignore', output, 'pipe'], ...owner })
}

/** Runs a program to its end. Returns what it printed. */
export async function run(command: readonly string[], options: Options = {}): Promise<string> {
  const child = launch(command, { ...options, output: 'pipe' })
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [printed, errors, code] = await Promise.all([read(child.stdout), read(child.stderr), ended])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${errors || printed}`)
  return printed
}

export async function read(output: Readable | null): Promise<string> {
  return output === null ? '' : text(output)
}

/** Memory of a process in MB, as far as the system tells (Linux). */
export function residentMegabytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kib) * 1024) / 1e6
}

/** Processor time that all threads of a process have used (Linux). */
export function cpuSeconds(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  const ticksPerSecond = 100
  return ((user as number) + (system as number)) / ticksPerSecond
}

/** The same of its main thread alone. */
export function mainThreadSeconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9
}

/** Looks at a process's memory until it is asked for the most it has seen. */
export function watchMemory(pid: number): () => number {
  let most = residentMegabytes(pid)
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid))
  }, 20)
  return () => {
    clearInterval(timer)
    return most
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
