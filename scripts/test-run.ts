/** Runs test files side by side: a line for each file, failures in full, and an end to a run that makes no progress. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { type EventData, run } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { grandchildrenOf, signal as sendSignal } from '../test/process-tree.ts'
import type { Stage } from './test-processes.ts'
import { createProcessorTimes } from './test-processor-time.ts'

type TestRun = {
  /** One after the other. So are the files of a process. */
  stages: readonly Stage[]
  /** Runs only tests whose names match one of these. */
  namePatterns: readonly string[]
  /** Preloaded into each process, in this order. */
  preload?: readonly string[]
  /** The longest that one test may take. */
  testMilliseconds: number
  /** The longest that the run may go without a test finishing. A slow machine is slow, but it finishes tests. */
  stallMilliseconds: number
  /** Prints which tests were skipped. */
  printsSkipped: boolean
  /** Prints what a file wrote also if its tests passed. */
  printsOutput: boolean
  /** Prints which files used most processor time. */
  printsProcessorTime?: boolean
  /** Ends the run. */
  signal: AbortSignal
}

type Test = { name: string; parentId: number | undefined }
type RunningFile = { path: string; begun: number; tests: number; failed: number; running: Map<number, Test> }
/** `file` is the one whose tests run now, `ended` are those before it. */
type RunningProcess = {
  entry: string
  files: readonly string[]
  begun: number
  file?: RunningFile
  ended: Set<string>
  failed: number
  output: string
}

/** Returns whether every test passed. The last lines printed are Node's own counts, of all stages. */
export async function runTests(settings: TestRun): Promise<boolean> {
  const { stallMilliseconds, signal } = settings
  const stalled = new AbortController()
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-entries-'))
  const stages = settings.stages.map(({ processes, concurrency }, stage) => {
    const entries = new Map(processes.map((files, i) => makeEntry(join(folder, `${stage}-${i}.test.mjs`), files)))
    return { entries, concurrency }
  })
  const report = createReport(settings, new Map(stages.flatMap(({ entries }) => [...entries])))
  const watchdog = setInterval(() => {
    if (stalled.signal.aborted || Date.now() - report.lastProgress() < stallMilliseconds) return
    const seconds = Math.round(stallMilliseconds / 1000)
    console.error(`\nNo test has finished for ${seconds} seconds, so this run ends. Still running:`)
    for (const line of report.running()) console.error(`  ${line}`)
    stalled.abort()
  }, stallMilliseconds / 8)
  const eitherSignal = AbortSignal.any([signal, stalled.signal])
  // Node ends the processes of the tests, and with them nothing that those started: services would stay.
  eitherSignal.addEventListener('abort', () => {
    for (const pid of grandchildrenOf(process.pid)) sendSignal(pid, 'SIGKILL')
  })
  try {
    for (const { entries, concurrency } of stages) {
      if (!eitherSignal.aborted) {
        await runStage({ files: [...entries.keys()], concurrency, signal: eitherSignal }, settings, report)
      }
    }
  } finally {
    clearInterval(watchdog)
    rmSync(folder, { recursive: true })
  }
  const passed = report.close()
  return passed && !eitherSignal.aborted
}

async function runStage(
  { files, concurrency, signal }: { files: string[]; concurrency: number; signal: AbortSignal },
  { testMilliseconds, namePatterns, preload = [] }: TestRun,
  report: ReturnType<typeof createReport>,
): Promise<void> {
  const events = run({
    files,
    concurrency,
    isolation: 'process',
    timeout: testMilliseconds,
    signal,
    ...(namePatterns.length > 0 && { testNamePatterns: [...namePatterns] }),
    execArgv: preload.map((url) => `--import=${url}`),
  })
  for await (const { type, data } of events) {
    if (type === 'test:dequeue') report.begin(data)
    else if (type === 'test:complete') report.finish(data)
    else if (type === 'test:stdout' || type === 'test:stderr') report.output(data)
    else if (type === 'test:diagnostic') report.diagnose(data)
  }
}

/** Returns what a process runs, and the files that this brings: a file itself, or one that imports several. */
function makeEntry(entry: string, files: readonly string[]): [string, readonly string[]] {
  const paths = files.map((file) => resolve(file))
  const [only] = paths
  if (only !== undefined && paths.length === 1) return [only, paths]
  writeFileSync(entry, paths.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)}\n`).join(''))
  return [entry, paths]
}

function createReport(
  { printsSkipped, printsOutput, printsProcessorTime }: TestRun,
  entries: ReadonlyMap<string, readonly string[]>,
) {
  const entryOf = new Map([...entries].flatMap(([entry, files]) => files.map((file) => [file, entry] as const)))
  const processes = new Map<string, RunningProcess>()
  const failures: string[] = []
  /** What tests report besides passing, such as counts and times. */
  const measured: string[] = []
  const counts = new Map<string, number>()
  const processorTimes = printsProcessorTime ? createProcessorTimes() : undefined
  let progressAt = Date.now()

  function begin({ name, file = '', testId, parentId }: EventData.TestDequeue): void {
    const files = entries.get(file)
    if (name === file && files !== undefined) {
      processes.set(file, { entry: file, files, begun: Date.now(), ended: new Set(), failed: 0, output: '' })
      return
    }
    const of = processOf(file)
    if (of !== undefined) fileOf(of, file).running.set(testId, { name, parentId })
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
    if (skip !== undefined && printsSkipped)
      console.log(`﹣ ${path}: skipped${typeof skip === 'string' ? `, ${skip}` : ''}`)
    if (details.passed || isOnlyOfChildren(details.error)) return
    fileOf(of, file).failed++
    of.failed++
    fail(`✖ ${path}\n  ${relative('', file)}:${data.line}, after ${Math.round(details.duration_ms)} ms`, details.error)
  }

  function endProcess(entry: string, of: RunningProcess, details: Finished): void {
    processes.delete(entry)
    endFile(of)
    const places = of.files.map((file) => relative('', file))
    processorTimes?.endProcess(relative('', of.file?.path ?? entry), entry)
    // It could not be loaded, or ended early: no test reports that.
    if (!details.passed && of.failed === 0) fail(`✖ ${places.join(', ')}`, details.error)
    if (of.output !== '' && (printsOutput || !details.passed)) process.stderr.write(of.output)
    const withoutTests = places.filter((_, i) => !of.ended.has(String(of.files[i])))
    const sign = details.passed || of.failed > 0 ? '✔' : '✖'
    for (const place of withoutTests) console.log(`${sign} ${place}: 0 tests`)
  }

  function endFile({ file, ended }: RunningProcess): void {
    if (file === undefined) return
    const { path, begun, tests, failed } = file
    ended.add(path)
    const seconds = ((Date.now() - begun) / 1000).toFixed(1)
    console.log(`${failed === 0 ? '✔' : '✖'} ${relative('', path)}: ${tests} tests, ${seconds} s`)
  }

  function fail(title: string, error: Error | undefined): void {
    const text = `${title}\n${inspect(error?.cause ?? error, { depth: 5 }).replace(/^/gm, '  ')}\n`
    failures.push(text)
    console.log(title)
  }

  return {
    begin,
    finish,
    lastProgress: () => progressAt,
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
      else if (message.startsWith('Error: ')) failures.push(message)
      else measured.push(`ℹ ${relative('', file ?? '')}: ${message}`)
    },
    close(): boolean {
      if (failures.length > 0) console.log(`\n${failures.length} failed:\n\n${failures.join('\n')}`)
      if (measured.length > 0) console.log(`\n${measured.join('\n')}`)
      if (processorTimes !== undefined) console.log(`\n${processorTimes.lines().join('\n')}`)
      console.log(`\n${[...counts].map(([name, count]) => `ℹ ${name} ${count}`).join('\n')}`)
      return failures.length === 0 && counts.get('fail') === 0 && counts.get('cancelled') === 0
    },
  }
}

type Finished = EventData.TestComplete['details']

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
