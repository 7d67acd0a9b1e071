/** Prints what a run of tests does: a line for each file, what is running, failures in full, and a summary. */
import { relative } from 'node:path'
import type { EventData } from 'node:test'
import { inspect } from 'node:util'
import { createProcessorTimes, usedProcessorSeconds } from './test-processor-time.ts'

export type ReportSettings = {
  /** The files of each process, by what the process executes. */
  entries: ReadonlyMap<string, readonly string[]>
  /** About how much of the run each file is. */
  costs?: ReadonlyMap<string, number> | undefined
  /** Prints which tests were skipped. */
  printsSkipped: boolean
  /** Prints what a file wrote also if its tests passed. */
  printsOutput: boolean
  /** Prints which files used most processor time. */
  printsProcessorTime?: boolean | undefined
}

type Test = { name: string; parentId: number | undefined }
type RunningFile = { path: string; begun: number; tests: number; failed: number; running: Map<number, Test> }
/** `file` is the one whose tests run now, `ended` are those before it. */
type RunningProcess = {
  entry: string
  files: readonly string[]
  begun: number
  file?: RunningFile
  endedFiles: Set<string>
  failed: number
  output: string
}
type Finished = EventData.TestComplete['details']
type Failure = { files: readonly string[]; title: string; text: string }

const slowestFiles = 10

export type Report = ReturnType<typeof createReport>

export function createReport({ entries, costs, printsSkipped, printsOutput, printsProcessorTime }: ReportSettings) {
  const entryOf = new Map([...entries].flatMap(([entry, files]) => files.map((file) => [file, entry] as const)))
  const fileCount = entryOf.size
  const processes = new Map<string, RunningProcess>()
  const failures: Failure[] = []
  const skipped = new Map<string, number>()
  /** What tests report besides passing, such as counts and times. */
  const measured: string[] = []
  const counts = new Map<string, number>()
  const endedFiles: { place: string; seconds: number }[] = []
  const unstable: Failure[] = []
  const processorTimes = printsProcessorTime ? createProcessorTimes() : undefined
  const status = createStatusLine()
  const begun = Date.now()
  let passedTests = 0
  let doneCost = 0
  let progressAt = Date.now()
  let isInterrupted = false

  function onDequeue({ name, file = '', testId, parentId }: EventData.TestDequeue): void {
    const files = entries.get(file)
    if (name === file && files !== undefined) {
      processes.set(file, { entry: file, files, begun: Date.now(), endedFiles: new Set(), failed: 0, output: '' })
      return
    }
    const of = processOf(file)
    if (of !== undefined) fileOf(of, file).running.set(testId, { name, parentId })
    showStatus()
  }

  function processOf(file: string): RunningProcess | undefined {
    return processes.get(entryOf.get(file) ?? file)
  }

  /** The files of a process run one after the other, so the first test of the next one ends a file. */
  function fileOf(of: RunningProcess, path: string): RunningFile {
    if (of.file?.path === path) return of.file
    const begun = of.file === undefined ? of.begun : Date.now()
    if (of.file !== undefined) processorTimes?.endFile(relative('', of.file.path), of.entry)
    endFile(of)
    of.file = { path, begun, tests: 0, failed: 0, running: new Map() }
    return of.file
  }

  function finish(data: EventData.TestComplete): void {
    if (isInterrupted) return
    progressAt = Date.now()
    const { name, file = '', details, skip, testId } = data
    const of = processOf(file)
    if (of === undefined) return
    if (name === file && entries.has(file)) {
      endProcess(file, of, details)
      return
    }
    const { running } = fileOf(of, file)
    const path = pathOf(testId, running) ?? name
    running.delete(testId)
    if (details.type !== 'suite') fileOf(of, file).tests++
    if (skip !== undefined) recordSkip(path, skip)
    if (details.passed || isOnlyOfChildren(details.error)) {
      if (details.passed && details.type !== 'suite' && skip === undefined) passedTests++
      return
    }
    fileOf(of, file).failed++
    of.failed++
    const title = `✖ ${path}\n  ${relative('', file)}:${data.line}, after ${Math.round(details.duration_ms)} ms`
    fail([file], title, details.error)
  }

  function recordSkip(path: string, reason: string | boolean): void {
    const why = typeof reason === 'string' ? reason : 'no reason stated'
    skipped.set(why, (skipped.get(why) ?? 0) + 1)
    if (printsSkipped) print(`﹣ ${path}: skipped, ${why}`)
  }

  function endProcess(entry: string, of: RunningProcess, details: Finished): void {
    processes.delete(entry)
    endFile(of)
    const places = of.files.map((file) => relative('', file))
    processorTimes?.endProcess(relative('', of.file?.path ?? entry), entry)
    // It could not be loaded, or ended early: no test reports that.
    if (!details.passed && of.failed === 0) fail(of.files, `✖ ${places.join(', ')}`, details.error)
    if (of.output !== '' && (printsOutput || !details.passed)) printError(of.output)
    const withoutTests = of.files.filter((file) => !of.endedFiles.has(file))
    const sign = details.passed || of.failed > 0 ? '✔' : '✖'
    for (const file of withoutTests) printFile(sign, file, 0, 0)
  }

  function endFile({ file, endedFiles: ended }: RunningProcess): void {
    if (file === undefined) return
    const { path, begun, tests, failed } = file
    ended.add(path)
    printFile(failed === 0 ? '✔' : '✖', path, tests, (Date.now() - begun) / 1000)
  }

  function printFile(sign: string, file: string, tests: number, seconds: number): void {
    const place = relative('', file)
    const known = endedFiles.find((one) => one.place === place)
    // The tests of two files of a process may take turns.
    if (known === undefined) endedFiles.push({ place, seconds })
    else known.seconds += seconds
    if (known === undefined) doneCost += costs?.get(file) ?? 0
    const time = tests === 0 ? '' : `, ${seconds.toFixed(1)} s`
    print(`${sign} ${place}: ${tests} tests${time} · ${endedFiles.length} of ${fileCount}`)
  }

  function fail(files: readonly string[], title: string, error: Error | undefined): void {
    const text = `${title}\n${inspect(error?.cause ?? error, { depth: 5 }).replace(/^/gm, '  ')}\n`
    failures.push({ files, title, text })
    print(title)
  }

  function print(line: string): void {
    status.clear()
    console.log(line)
    showStatus()
  }

  function printError(text: string): void {
    status.clear()
    process.stderr.write(text)
  }

  function showStatus(): void {
    const running = [...processes.values()].map(({ file, files }) => relative('', file?.path ?? files[0] ?? ''))
    const failed = failures.length === 0 ? '' : `, ${failures.length} failed`
    status.show(
      [`${endedFiles.length} of ${fileCount} files`, `${passedTests} tests passed${failed}`, restOfRun(), ...running]
        .filter((part) => part !== '')
        .join(' · '),
    )
  }

  /** An estimate, as soon as a tenth of the run is done. */
  function restOfRun(): string {
    const total = [...(costs?.values() ?? [])].reduce((sum, cost) => sum + cost, 0)
    if (total === 0 || doneCost < total / 10) return ''
    const seconds = ((Date.now() - begun) / 1000) * (total / doneCost - 1)
    return seconds < 90 ? `about ${Math.ceil(seconds)} s left` : `about ${Math.ceil(seconds / 60)} min left`
  }

  return {
    begin: onDequeue,
    finish,
    print,
    lastProgress: () => progressAt,
    touch(): void {
      progressAt = Date.now()
    },
    /** The processes in which no test runs; undefined as long as a test runs in one of them. */
    idleProcesses(): string[] | undefined {
      const all = [...processes.values()]
      return all.every(({ file }) => file !== undefined && file.running.size === 0)
        ? all.map(({ entry }) => entry)
        : undefined
    },
    running(): string[] {
      return [...processes.values()].flatMap(({ file, files }) => {
        const running = file?.running ?? new Map<number, Test>()
        const innermost = [...running].filter(([id]) => ![...running.values()].some(({ parentId }) => parentId === id))
        const names = innermost.map(([id]) => pathOf(id, running))
        return (names.length > 0 ? names : ['its tests have ended, its process has not']).map(
          (name) => `${relative('', file?.path ?? files[0] ?? '')}: ${name}`,
        )
      })
    },
    /** A test that writes is running: only its own time limit ends it. */
    output({ file, message }: { file?: string; message: string }): void {
      progressAt = Date.now()
      const of = processOf(file ?? '')
      if (of !== undefined) of.output += message
    },
    diagnose({ message, file }: EventData.TestDiagnostic): void {
      const [, name, count] =
        /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/.exec(message) ?? []
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count))
      // An error that no test waited for, of which the runner says only here that it failed the process.
      else if (message.startsWith('Error: ')) failures.push({ files: filesOf(file), title: message, text: message })
      else measured.push(`ℹ ${relative('', file ?? '')}: ${message}`)
    },
    failedFiles: (): string[] => [...new Set(failures.flatMap(({ files }) => files))],
    /** Forgets the failures of a file that passed when it ran alone, and names it in the summary. */
    markUnstable(file: string): void {
      const ofFile = failures.filter(({ files }) => files.includes(file))
      for (const failure of ofFile) failures.splice(failures.indexOf(failure), 1)
      unstable.push(...ofFile.slice(0, 1))
      counts.set('fail', Math.max(0, (counts.get('fail') ?? 0) - ofFile.length))
      counts.set('pass', (counts.get('pass') ?? 0) + ofFile.length)
    },
    /** What ends from now on ends because of the interruption, and says nothing about the product. */
    interrupt(): void {
      isInterrupted = true
      status.clear()
      const seconds = Math.round((Date.now() - begun) / 1000)
      console.log(
        `\nInterrupted after ${seconds} s. Until then ${endedFiles.length} of ${fileCount} files had ended: ${passedTests} tests passed, ${failures.length} failed. The others were not decided.`,
      )
    },
    /** Prints the summary, Node's own counts of all stages last. Returns whether every test passed. */
    close(): boolean {
      status.clear()
      if (failures.length > 0) {
        console.log(`\n${failures.length} failed:\n\n${failures.map(({ text }) => text).join('\n')}`)
      }
      for (const { title, text } of unstable) {
        console.log(`\nUnstable: failed among others and passed alone. Its first failure:\n${text || title}`)
      }
      if (isInterrupted) return false
      if (measured.length > 0) console.log(`\n${measured.join('\n')}`)
      if (processorTimes !== undefined) console.log(`\n${processorTimes.lines().join('\n')}`)
      if (skipped.size > 0) {
        console.log(
          `\nSkipped:\n${[...skipped].map(([why, count]) => `${String(count).padStart(5)} ${why}`).join('\n')}`,
        )
      }
      if (fileCount > slowestFiles) console.log(`\n${slowest()}`)
      const used = usedProcessorSeconds()
      if (used !== undefined) console.log(`\n${Math.round(used)} s of processor time in all`)
      console.log(`\n${[...counts].map(([name, count]) => `ℹ ${name} ${count}`).join('\n')}`)
      return failures.length === 0 && counts.get('fail') === 0 && counts.get('cancelled') === 0
    },
  }

  function filesOf(file: string | undefined): readonly string[] {
    return file === undefined ? [] : (entries.get(entryOf.get(file) ?? file) ?? [file])
  }

  function slowest(): string {
    const sorted = endedFiles.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestFiles)
    return [
      'The slowest files:',
      ...sorted.map(({ place, seconds }) => `${seconds.toFixed(1).padStart(7)} s ${place}`),
    ].join('\n')
  }
}

/** The last line of a terminal, rewritten as the run proceeds. */
function createStatusLine() {
  const { isTTY, columns = 80 } = process.stdout
  return {
    show(text: string): void {
      if (isTTY) process.stdout.write(`\r\u001b[2K${text.slice(0, columns - 1)}`)
    },
    clear(): void {
      if (isTTY) process.stdout.write('\r\u001b[2K')
    },
  }
}

function pathOf(id: number, running: ReadonlyMap<number, Test>): string | undefined {
  const test = running.get(id)
  if (test === undefined) return undefined
  const parent = test.parentId === undefined ? undefined : pathOf(test.parentId, running)
  return parent === undefined ? test.name : `${parent} › ${test.name}`
}

/** A suite whose tests failed has nothing to add to what they said. */
function isOnlyOfChildren(error: Error | undefined): boolean {
  return (error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed'
}
