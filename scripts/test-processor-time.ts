/** Measures the processor time of test files, including that of the processes they start. Needs Linux. */
import { readFileSync } from 'node:fs'
import { childrenOf, descendantsOf } from '../test/process-tree.ts'

const ticksPerSecond = 100
const printedFiles = 30

/** An entry is what a process of the run executes: one file, or several, one after the other. */
export function createProcessorTimes() {
  const secondsByFile = new Map<string, number>()
  /** What the running processes had used when they were last charged. */
  const charged = new Map<string, number>()
  let endedSeconds = ownSeconds(process.pid).ofEndedChildren

  function charge(file: string, entry: string, total: number): void {
    const seconds = total - (charged.get(entry) ?? 0)
    secondsByFile.set(file, (secondsByFile.get(file) ?? 0) + seconds)
    charged.set(entry, total)
  }

  return {
    /** Charges what the process has used since the last call. */
    endFile(file: string, entry: string): void {
      const pid = childrenOf(process.pid).find((child) => readProc(child, 'cmdline').split('\0').includes(entry))
      if (pid !== undefined) charge(file, entry, totalSeconds(pid))
    },
    /** Charges the rest of an ended process to its last file. Two that end within a few milliseconds are charged together. */
    endProcess(file: string, entry: string): void {
      const before = endedSeconds
      endedSeconds = ownSeconds(process.pid).ofEndedChildren
      charge(file, entry, endedSeconds - before)
    },
    /** To be called while the run's PostgreSQL is running, and nothing else. */
    lines(): string[] {
      const files = [...secondsByFile].sort(([, a], [, b]) => b - a)
      const inFiles = files.reduce((sum, [, seconds]) => sum + seconds, 0)
      const inServer = childrenOf(process.pid).reduce((sum, pid) => sum + totalSeconds(pid), 0)
      return [
        'Processor time in seconds, including the processes that a file starts:',
        ...files.slice(0, printedFiles).map(([file, seconds]) => `${format(seconds)} ${file}`),
        `${format(inFiles)} in ${files.length} files`,
        `${format(inServer)} in the PostgreSQL server of the run`,
      ]
    },
  }
}

/** Returns what this process, its ended children and their running ones have used. Undefined where the system does not say. */
export function usedProcessorSeconds(): number | undefined {
  return process.platform === 'linux' ? totalSeconds(process.pid) : undefined
}

function format(seconds: number): string {
  return seconds.toFixed(1).padStart(8)
}

function totalSeconds(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, one) => {
    const { ofItself, ofEndedChildren } = ownSeconds(one)
    return sum + ofItself + ofEndedChildren
  }, 0)
}

function ownSeconds(pid: number): { ofItself: number; ofEndedChildren: number } {
  const text = readProc(pid, 'stat')
  // "pid (name) state …", where the name may hold anything; proc_pid_stat(5) has utime as the 14th field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const seconds = (field: number) => Number(fields[field - 3] ?? 0) / ticksPerSecond
  return { ofItself: seconds(14) + seconds(15), ofEndedChildren: seconds(16) + seconds(17) }
}

/** Returns nothing for a process that has ended. */
function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as { code?: string }).code ?? '')) return ''
    throw error
  }
}
