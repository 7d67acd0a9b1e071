/** Decides which test files share a process, in which order they run, and how many processes run at once. */
import { statSync } from 'node:fs'
import { type Kind, kinds, type Selection, type TestFile } from './test-parts.ts'

export type Stage = {
  /** The files of each process. */
  processes: readonly (readonly string[])[]
  /** How many processes run at once. */
  concurrency: number
  /** They need no database, browser or build. */
  arePure?: boolean
  /** Set for the processes, besides what this one has. */
  env?: Record<string, string> | undefined
  /** Runs only tests whose names match one of these. */
  namePatterns?: readonly string[] | undefined
}

/**
 * Signs of a file that changes or measures its process. Starting other processes changes nothing for the files beside it. `before` and
 * `after` of a file would enclose its neighbours too. V8 does not count all calls of functions that ran before it counted.
 */
const ownProcess =
  /\bprocess\.(?:env\.\w+ =|on\b|once|off\b|exit|chdir|umask|memoryUsage|cpuUsage|listenerCount|std(?:in|out|err)|getBuiltinModule)|delete process|assign\(process|worker_threads|countCalls|\bmock\b|globalThis\.\w+ =|^(?:before|after)(?:Each)?\(/m

/** What a file says in which one measured time is compared with another. */
const comparison = 'compares times'

/** What a file says whose cost does not show in its size. */
const long = 'Takes long for its size'

/** So much text of tests that start the application runs for about a minute. */
const longestTogether = 180_000

/** How long so much text takes, against that of tests that start the application in their own process: measured. */
const slowness: Record<Kind, number> = { pure: 0.1, application: 1, 'both engines': 2.4, processes: 2.6, browser: 4.7 }

/**
 * Returns the stages of a run on two processors: pure tests, then those that compare times, then those that only need the application,
 * and last all others.
 * Three processes use both processors also while one of them waits. Where times are compared there are two, since three make such tests
 * fail.
 */
export function stagesOf(selections: readonly Selection[]): Stage[] {
  return selections.flatMap(({ files, env, namePatterns }) => {
    const measured = files.map(measure)
    const timed = measured.filter((one) => one.comparesTimes)
    const others = measured.filter((one) => !one.comparesTimes)
    const pure = others.filter((one) => one.kind === 'pure')
    const application = groupFiles(others, 'application')
    // Together, as otherwise the run ended with its longest process, of a browser, and an idle processor.
    const dearer = kinds.filter((kind) => !['pure', 'application'].includes(kind))
    const last = longestFirst(dearer.flatMap((kind) => groupFiles(others, kind)))
    return [
      { processes: filesOf(groupFiles(pure, 'pure')), concurrency: 3, arePure: true, env, namePatterns },
      { processes: timed.map(({ file }) => [file]), concurrency: 2, env, namePatterns },
      { processes: filesOf([...application, ...last]), concurrency: 3, env, namePatterns },
    ].filter(({ processes }) => processes.length > 0)
  })
}

type Measured = { file: string; kind: Kind; cost: number; isAlone: boolean; comparesTimes: boolean }

function measure(one: TestFile): Measured {
  const { file, text, kind } = one
  const comparesTimes = text.includes(comparison)
  const isAlone = comparesTimes || ownProcess.test(text)
  return { file, kind, cost: costOf(one), isAlone, comparesTimes }
}

/** Returns about how long a file takes, in characters of a test that starts the application. */
export function costOf({ file, text, kind }: TestFile): number {
  const cost = statSync(file).size * slowness[kind]
  // Two of them share a process: alone, each would load the application for itself.
  return text.includes(long) ? Math.max(cost, longestTogether / 2) : cost
}

type Group = { files: string[]; cost: number }

/**
 * Returns the processes, those that take longest first, so that no kind ends with one long process. To load the application and to warm
 * it up takes a second of processor time, so files share a process where they can.
 */
function groupFiles(files: readonly Measured[], kind: Kind): Group[] {
  const ofKind = files.filter((one) => one.kind === kind)
  const alone = ofKind.filter((one) => one.isAlone).map(({ file, cost }) => ({ files: [file], cost }))
  return longestFirst([...alone, ...fill(ofKind.filter((one) => !one.isAlone))])
}

function longestFirst(groups: readonly Group[]): Group[] {
  return groups.toSorted((a, b) => b.cost - a.cost)
}

const filesOf = (groups: readonly Group[]) => groups.map(({ files }) => files)

function fill(files: readonly Measured[]): Group[] {
  const total = files.reduce((sum, { cost }) => sum + cost, 0)
  // A few files use both processors too.
  const length = Math.min(files.length, Math.max(3, Math.ceil(total / longestTogether)))
  const groups = Array.from({ length }, () => ({ files: [] as string[], cost: 0 }))
  for (const { file, cost } of files.toSorted((a, b) => b.cost - a.cost)) {
    const emptiest = groups.reduce((least, one) => (one.cost < least.cost ? one : least))
    emptiest.files.push(file)
    emptiest.cost += cost
  }
  return groups
}
