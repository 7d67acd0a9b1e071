/** Processes that outlive the program that starts them: their ids are in files, and they are ended only by id. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process id can be reused; together with the start time it is unique. */
type Mark = { pid: number; started: string }
type Stat = Mark & { parent: number; state: string }

export type Account = { uid: number; gid: number }

/** Starts a program in the background, as `account` if given. Its output goes to `log/<name>.log`. */
export async function launch(
  folder: string,
  name: string,
  command: readonly [string, ...string[]],
  options: { env?: Record<string, string>; account?: Account | undefined; cwd?: string } = {},
): Promise<void> {
  if (markOf(folder, name) !== undefined) throw new Error(`${name} runs already.`)
  const [program, ...rest] = command
  const log = openSync(join(folder, 'log', `${name}.log`), 'a', 0o600)
  try {
    const child = spawn(program, rest, {
      cwd: options.cwd ?? folder,
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...options.env },
      stdio: ['ignore', log, log],
      detached: true,
      ...options.account,
    })
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    const stat = statOf(child.pid as number)
    if (stat === undefined) throw new Error(`${name} ended at once; see its log.`)
    writeFileSync(join(folder, 'run', name), JSON.stringify({ pid: stat.pid, started: stat.started }))
    child.unref()
  } finally {
    closeSync(log)
  }
}

/** Returns the process started under this name, if it is still running. */
export function markOf(folder: string, name: string): Mark | undefined {
  const file = join(folder, 'run', name)
  if (!existsSync(file)) return undefined
  const mark = JSON.parse(readFileSync(file, 'utf8')) as Mark
  return isRunning(mark) ? mark : undefined
}

/** Returns the postmaster of a data directory. Patroni starts it as an orphan. */
export function postmasterOf(dataDirectory: string): Mark | undefined {
  const file = join(dataDirectory, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const [first = '', directory] = readFileSync(file, 'utf8').split('\n')
  const stat = statOf(Number(first))
  // After a kill the file remains, and its id may belong to another process.
  if (stat === undefined || directory !== dataDirectory) return undefined
  return readFileSync(`/proc/${stat.pid}/cmdline`, 'utf8').includes(dataDirectory) ? stat : undefined
}

/** Sends a signal to processes and all their descendants. Returns those reached. */
export function signalTrees(roots: readonly Mark[], signal: 'SIGSTOP' | 'SIGCONT'): Mark[] {
  const reached: Mark[] = []
  const seen = new Set<number>()
  for (let next = [...roots]; next.length > 0; ) {
    for (const mark of next) {
      seen.add(mark.pid)
      if (send(mark, signal)) reached.push(mark)
    }
    // Look them up again each time: a parent may have started another child before the signal reached it.
    next = processTable().filter(({ pid, parent }) => seen.has(parent) && !seen.has(pid))
  }
  return reached
}

/** Kills processes and their descendants as a power failure would: first all are stopped, then all are killed. */
export function killTrees(roots: readonly Mark[]): Mark[] {
  const reached = signalTrees(roots, 'SIGSTOP')
  for (const mark of reached) send(mark, 'SIGKILL')
  return reached
}

export function send(mark: Mark, signal: NodeJS.Signals): boolean {
  if (!isRunning(mark)) return false
  try {
    return process.kill(mark.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** Resolves to those still running after that time. */
export async function waitForEnd(marks: readonly Mark[], milliseconds: number): Promise<Mark[]> {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const running = marks.filter(isRunning)
    if (running.length === 0 || Date.now() > deadline) return running
    await sleep(20)
  }
}

export function forget(folder: string, name: string): void {
  rmSync(join(folder, 'run', name), { force: true })
}

function isRunning({ pid, started }: Mark): boolean {
  const stat = statOf(pid)
  // If no process reaps orphans, an ended one remains as a zombie.
  return stat !== undefined && stat.started === started && stat.state !== 'Z'
}

function processTable(): Stat[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map((pid) => statOf(Number(pid))).filter((stat) => stat !== undefined)
}

function statOf(pid: number): Stat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    // ESRCH if the process ends while it is read.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
  // The second field is the program's name in parentheses and may contain anything; proc(5) counts from 1.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { pid, state: fields[0] ?? '', parent: Number(fields[1]), started: fields[19] ?? '' }
}
