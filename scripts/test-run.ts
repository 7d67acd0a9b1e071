/** Runs test files side by side: a line for each file, failures in full, and an end to a run that makes no progress. */
import { relative, resolve } from 'node:path'
import { type EventData, run } from 'node:test'
import { inspect } from 'node:util'

export type TestRun = {
  files: readonly string[]
  /** Runs only tests whose names match one of these. */
  namePatterns: readonly string[]
  /** Preloaded into each file's process. */
  preload?: string | undefined
  /** The longest that one test may take. */
  testMilliseconds: number
  /** The longest that the run may go without a test finishing. A slow machine is slow, but it finishes tests. */
  stallMilliseconds: number
  /** Prints which tests were skipped. */
  printsSkipped: boolean
  /** Prints what a file wrote also if its tests passed. */
  printsOutput: boolean
  /** Ends the run. */
  signal: AbortSignal
}

type Test = { name: string; parentId: number | undefined }
type RunningFile = { begun: number; tests: number; failed: number; running: Map<number, Test>; output: string }

/** Returns whether every test passed. The last lines printed are Node's own counts. */
export async function runTests(settings: TestRun): Promise<boolean> {
  const { stallMilliseconds, signal, namePatterns, preload } = settings
  const stalled = new AbortController()
  const report = createReport(settings)
  const watchdog = setInterval(() => {
    if (stalled.signal.aborted || Date.now() - report.lastProgress() < stallMilliseconds) return
    const seconds = Math.round(stallMilliseconds / 1000)
    console.error(`\nNo test has finished for ${seconds} seconds, so this run ends. Still running:`)
    for (const line of report.running()) console.error(`  ${line}`)
    stalled.abort()
  }, stallMilliseconds / 8)
  try {
    const events = run({
      files: settings.files.map((file) => resolve(file)),
      // Three on two processors are an eighth quicker, and ratios that tests assert begin to fail.
      concurrency: 2,
      isolation: 'process',
      timeout: settings.testMilliseconds,
      signal: AbortSignal.any([signal, stalled.signal]),
      ...(namePatterns.length > 0 && { testNamePatterns: [...namePatterns] }),
      ...(preload !== undefined && { execArgv: [`--import=${preload}`] }),
    })
    for await (const { type, data } of events) {
      if (type === 'test:dequeue') report.begin(data)
      else if (type === 'test:complete') report.finish(data)
      else if (type === 'test:stdout' || type === 'test:stderr') report.output(data)
      else if (type === 'test:diagnostic') report.diagnose(data)
    }
  } finally {
    clearInterval(watchdog)
  }
  const passed = report.close()
  return passed && !signal.aborted && !stalled.signal.aborted
}

function createReport({ printsSkipped, printsOutput }: Pick<TestRun, 'printsSkipped' | 'printsOutput'>) {
  const files = new Map<string, RunningFile>()
  const failures: string[] = []
  const counts: string[] = []
  let progressAt = Date.now()

  function begin({ name, file = '', testId, parentId }: EventData.TestDequeue): void {
    const known = files.get(file)
    if (known !== undefined) known.running.set(testId, { name, parentId })
    else files.set(file, { begun: Date.now(), tests: 0, failed: 0, running: new Map(), output: '' })
  }

  function finish(data: EventData.TestComplete): void {
    progressAt = Date.now()
    const { name, file = '', details, skip, testId } = data
    const of = files.get(file)
    if (of === undefined) return
    if (name === file) {
      endFile(file, of, details)
      return
    }
    const path = pathOf(testId, of.running) ?? name
    of.running.delete(testId)
    if (details.type !== 'suite') of.tests++
    if (skip !== undefined && printsSkipped)
      console.log(`﹣ ${path}: skipped${typeof skip === 'string' ? `, ${skip}` : ''}`)
    if (details.passed || isOnlyOfChildren(details.error)) return
    of.failed++
    fail(`✖ ${path}\n  ${relative('', file)}:${data.line}, after ${Math.round(details.duration_ms)} ms`, details.error)
  }

  function endFile(file: string, { begun, tests, failed, output }: RunningFile, details: Finished): void {
    files.delete(file)
    const place = relative('', file)
    // It could not be loaded, or its process ended early: no test reports that.
    if (!details.passed && failed === 0) fail(`✖ ${place}`, details.error)
    if (output !== '' && (printsOutput || !details.passed)) process.stderr.write(output)
    const seconds = ((Date.now() - begun) / 1000).toFixed(1)
    console.log(`${details.passed ? '✔' : '✖'} ${place}: ${tests} tests, ${seconds} s`)
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
      return [...files].flatMap(([file, { running }]) => {
        const innermost = [...running].filter(([id]) => ![...running.values()].some(({ parentId }) => parentId === id))
        const names = innermost.map(([id]) => pathOf(id, running))
        return (names.length > 0 ? names : ['its tests have ended, its process has not']).map(
          (name) => `${relative('', file)}: ${name}`,
        )
      })
    },
    output({ file, message }: { file?: string; message: string }): void {
      const of = files.get(file ?? '')
      if (of !== undefined) of.output += message
    },
    diagnose({ message }: EventData.TestDiagnostic): void {
      if (/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message)) counts.push(message)
    },
    close(): boolean {
      if (failures.length > 0) console.log(`\n${failures.length} failed:\n\n${failures.join('\n')}`)
      console.log(`\n${counts.map((count) => `ℹ ${count}`).join('\n')}`)
      return failures.length === 0 && counts.includes('fail 0') && counts.includes('cancelled 0')
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
