/** Runs test files side by side, ends a run that makes no progress, and repeats a failed file alone where that is wanted. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { pathToFileURL } from 'node:url'
import { childrenOf, commandOf, descendantsOf, grandchildrenOf, signal as sendSignal } from '../test/process-tree.ts'
import type { Stage } from './test-processes.ts'
import { createReport, type Report, type ReportSettings } from './test-report.ts'

type TestRun = Omit<ReportSettings, 'entries'> & {
  /** One after the other. So are the files of a process. */
  stages: readonly Stage[]
  /** Runs only tests whose names match one of these, if there are any. */
  namePatterns: readonly string[]
  /** Preloaded into each process, in this order. */
  preload?: readonly string[]
  /** The longest that one test may take. */
  testMilliseconds: number
  /** The longest that the run may go without a test finishing. A slow machine is slow, but it finishes tests. */
  stallMilliseconds: number
  /** How many failed files are run once more, alone. If they pass then, the run passes and names them. */
  repeatedFiles?: number
  /** Fulfilled when what all stages but pure ones need is there, such as a browser. */
  prepared?: Promise<unknown> | undefined
  /** Ends the run. */
  signal: AbortSignal
}

type StageEntries = Omit<Stage, 'processes'> & { entries: ReadonlyMap<string, readonly string[]> }

/** Returns whether every test passed. The last lines printed are Node's own counts, of all stages. */
export async function runTests(settings: TestRun): Promise<boolean> {
  const { signal, prepared } = settings
  const stalled = new AbortController()
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-entries-'))
  const stages = settings.stages.map(({ processes, ...stage }, n): StageEntries => {
    const entries = new Map(processes.map((files, i) => makeEntry(join(folder, `${n}-${i}.test.mjs`), files)))
    return { ...stage, entries }
  })
  const report = createReport({ ...settings, entries: entriesOf(stages) })
  const eitherSignal = AbortSignal.any([signal, stalled.signal])
  // Node ends the processes of the tests, and with them nothing that those started: services would stay.
  signal.addEventListener('abort', () => report.interrupt())
  eitherSignal.addEventListener('abort', () => {
    for (const pid of grandchildrenOf(process.pid)) sendSignal(pid, 'SIGKILL')
  })
  const run = { ...settings, signal: eitherSignal }
  let isPrepared = prepared === undefined
  const markPrepared = () => {
    isPrepared = true
    report.touch()
  }
  // A failure is thrown to the stage that waits for it.
  prepared?.then(markPrepared, markPrepared)
  const watchdog = watch(
    report,
    { stallMilliseconds: settings.stallMilliseconds, isPrepared: () => isPrepared },
    stalled,
  )
  try {
    for (const stage of stages) {
      if (!stage.arePure) await prepared
      if (!eitherSignal.aborted) await runStage(stage, run, report)
    }
    if (!eitherSignal.aborted) await repeatAlone(stages, run, report)
  } finally {
    clearInterval(watchdog)
    // Node asks them to end; one that was about to start a service did not, and the run stayed.
    if (eitherSignal.aborted) for (const entry of entriesOf(stages).keys()) endProcessOf(entry)
    rmSync(folder, { recursive: true })
  }
  const passed = report.close()
  return passed && !eitherSignal.aborted
}

function watch(
  report: Report,
  { stallMilliseconds, isPrepared }: { stallMilliseconds: number; isPrepared: () => boolean },
  stalled: AbortController,
): NodeJS.Timeout {
  return setInterval(() => {
    if (stalled.signal.aborted || !isPrepared() || Date.now() - report.lastProgress() < stallMilliseconds) return
    const seconds = Math.round(stallMilliseconds / 1000)
    const idle = report.idleProcesses()
    if (idle !== undefined && idle.length > 0) {
      console.error(`\nNo test has finished for ${seconds} seconds, so these processes are ended:`)
      for (const line of report.running()) console.error(`  ${line}`)
      for (const entry of idle) endProcessOf(entry)
      report.touch()
      return
    }
    console.error(`\nNo test has finished for ${seconds} seconds, so this run ends. Still running:`)
    for (const line of report.running()) console.error(`  ${line}`)
    stalled.abort()
  }, stallMilliseconds / 8)
}

/** Ends a process that does not end after its tests, with what they started: the files after it are still to run. */
function endProcessOf(entry: string): void {
  for (const pid of childrenOf(process.pid)) {
    if (!commandOf(pid).includes(entry)) continue
    for (const one of [...descendantsOf(pid), pid]) sendSignal(one, 'SIGKILL')
  }
}

async function runStage(
  { entries, concurrency, env, namePatterns: ofStage = [] }: StageEntries,
  { testMilliseconds, namePatterns: ofRun, preload = [], signal }: TestRun,
  report: Report,
): Promise<void> {
  const namePatterns = ofRun.length > 0 ? ofRun : ofStage
  const events = run({
    files: [...entries.keys()],
    concurrency,
    isolation: 'process',
    timeout: testMilliseconds,
    signal,
    env: { ...process.env, ...env },
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

/** Some tests still depend on the speed of the machine: a file that fails only beside others does not fail the run. */
async function repeatAlone(stages: readonly StageEntries[], settings: TestRun, report: Report): Promise<void> {
  const { repeatedFiles = 0, signal } = settings
  const failed = report.failedFiles()
  if (failed.length === 0 || failed.length > repeatedFiles) return
  for (const file of failed) {
    const stage = stages.find(({ entries }) => [...entries.values()].some((files) => files.includes(file)))
    if (stage === undefined || signal.aborted) return
    report.print(`\nOnce more, alone: ${relative('', file)}`)
    const entries = new Map([[file, [file]]])
    const second = createReport({ ...settings, entries, costs: undefined, printsProcessorTime: false })
    await runStage({ ...stage, entries, concurrency: 1 }, settings, second)
    if (second.failedFiles().length === 0) report.markUnstable(file)
  }
}

function entriesOf(stages: readonly StageEntries[]): Map<string, readonly string[]> {
  return new Map(stages.flatMap(({ entries }) => [...entries]))
}

/** Returns what a process runs, and the files that this brings: a file itself, or one that imports several. */
function makeEntry(entry: string, files: readonly string[]): [string, readonly string[]] {
  const paths = files.map((file) => resolve(file))
  const [only] = paths
  if (only !== undefined && paths.length === 1) return [only, paths]
  writeFileSync(entry, paths.map((path) => `import ${JSON.stringify(pathToFileURL(path).href)}\n`).join(''))
  return [entry, paths]
}
