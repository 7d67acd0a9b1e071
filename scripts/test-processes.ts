/** Decides which test files share a process, and how many processes run at once. */
import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'

export type Stage = {
  /** The files of each process. */
  processes: readonly (readonly string[])[]
  /** How many processes run at once. */
  concurrency: number
}

/**
 * Signs of a file that changes or measures its process. Starting other processes changes nothing for the files beside it. `before` and
 * `after` of a file would enclose its neighbours too.
 */
const ownProcess =
  /\bprocess\.(?:env\.\w+ =|on\b|once|off\b|exit|chdir|umask|memoryUsage|cpuUsage|listenerCount|std(?:in|out|err)|getBuiltinModule)|delete process|assign\(process|worker_threads|\bmock\b|globalThis\.\w+ =|^(?:before|after)(?:Each)?\(/m

const startsProcesses = /child_process|command-process|\/process\.ts|[sS]tartCluster|ownCluster|startProcess/

/** What a file says in which one measured time is compared with another. */
const comparison = 'compares times'

/** What a file says that takes long. */
const long = 'test:quick leaves it out'

/** So much text of tests that start the application runs for about 40 seconds. */
const longestTogether = 120_000

/**
 * Returns the stages of a run on two processors. Three processes use both also while one of them waits. Where times are compared there
 * are two, since three make such tests fail.
 */
export function stagesOf(files: readonly string[]): Stage[] {
  const measured = files.map(measure)
  return [
    { processes: groupFiles(measured.filter((one) => one.comparesTimes)), concurrency: 2 },
    { processes: groupFiles(measured.filter((one) => !one.comparesTimes)), concurrency: 3 },
  ].filter(({ processes }) => processes.length > 0)
}

type Measured = {
  file: string
  cost: number
  isAlone: boolean
  comparesTimes: boolean
  usesBrowser: boolean
  takesLong: boolean
}

function measure(file: string): Measured {
  const text = readFileSync(file, 'utf8')
  const comparesTimes = text.includes(comparison)
  const isAlone = comparesTimes || ownProcess.test(text)
  const usesBrowser = text.includes('/browser.ts')
  const cost = statSync(file).size * slownessOf(file, text)
  return { file, cost, isAlone, comparesTimes, usesBrowser, takesLong: text.includes(long) }
}

/** How long so much text takes, against that of tests that start the application in their own process: measured. */
function slownessOf(file: string, text: string): number {
  if (text.includes('/browser.ts')) return 4.7
  if (startsProcesses.test(text)) return 2.6
  if (text.includes(long)) return 2.4
  return /test\/|\/harness\.ts/.test(relative('', file) + text) ? 1 : 0.1
}

/**
 * Returns the files of each process, those that take longest first, so that no run ends with one long process. To load the application
 * and to warm it up takes a second of processor time, so files share a process where they can.
 */
function groupFiles(files: readonly Measured[]): string[][] {
  const alone = files
    .filter((one) => one.isAlone)
    // How long one of these takes does not show in its size: query plans take a minute. They start before the groups.
    .map(({ file, cost, takesLong }) => ({ files: [file], cost: takesLong ? Math.max(cost, longestTogether) : cost }))
  const shared = files.filter((one) => !one.isAlone)
  // A file opens its browser when it is loaded, so few of those are together.
  const groups = [true, false].flatMap((usesBrowser) => fill(shared.filter((one) => one.usesBrowser === usesBrowser)))
  return [...alone, ...groups].sort((a, b) => b.cost - a.cost).map((one) => one.files)
}

function fill(files: readonly Measured[]): { files: string[]; cost: number }[] {
  const total = files.reduce((sum, { cost }) => sum + cost, 0)
  // A few files shall use both processors too.
  const length = Math.min(files.length, Math.max(2, Math.ceil(total / longestTogether)))
  const groups = Array.from({ length }, () => ({ files: [] as string[], cost: 0 }))
  for (const { file, cost } of files.toSorted((a, b) => b.cost - a.cost)) {
    const emptiest = groups.reduce((least, one) => (one.cost < least.cost ? one : least))
    emptiest.files.push(file)
    emptiest.cost += cost
  }
  return groups
}
