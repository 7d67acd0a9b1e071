/**
 * `npm test`: every rule once. `npm run test:rest`: the tests that this leaves out; `npm run test:all`: both. The tests of the given files
 * and folders (`npm test -- src/core/config.test.ts`), or those whose names match (`npm test -- --test-name-pattern=roles`), run whole.
 * `--processor-time` prints which files used most, on Linux.
 */
import { execFile } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { findOrInstallChromium } from '../test/browser.ts'
import { findPromtool } from '../test/metrics/promtool.ts'
import { type Cluster, clusterVariable, findOrInstallPostgres, startCluster } from '../test/postgres.ts'
import { findProxies } from '../test/proxies/find.ts'
import { quickPlace } from '../test/quick-place.ts'
import { findSlapd } from '../test/slapd.ts'
import { type Run, type Selection, select, type TestFile } from './test-parts.ts'
import { costOf, stagesOf } from './test-processes.ts'
import { runTests } from './test-run.ts'

const consoleBuild = join(import.meta.dirname, 'build-console.ts')
const serverBuild = join(import.meta.dirname, 'build-server.ts')
const minute = 60_000
/** As a shell has it for a command that SIGINT ended. */
const interrupted = 130

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
    rest: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    'processor-time': { type: 'boolean', default: false },
  },
})
const namePatterns = options['test-name-pattern']
const patterns = (paths.length > 0 ? paths : ['src', 'test', 'console/src']).map((path) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, '**/*.test.ts') : path,
)
const files = globSync(patterns)
const run = chooseRun()
const selections = select(files, run)
const chosen = selections.flatMap((selection) => selection.files)

function chooseRun(): Run {
  if (options.all) return 'all'
  if (options.rest) return 'rest'
  return paths.length > 0 || namePatterns.length > 0 ? 'all' : 'rules'
}

if (chosen.length === 0) fail(`There are no test files: ${patterns.join(' ')}`)
else await prepareAndRun().catch(fail)

async function prepareAndRun(): Promise<void> {
  const begun = Date.now()
  const place = makeTemporaryFolder()
  let cluster: Cluster | undefined
  try {
    const prepared = prepare(chosen).then((postgres) => {
      cluster = postgres
    })
    await runAll(prepared)
  } finally {
    await cluster?.remove()
    rmSync(place, { recursive: true, force: true })
  }
  if (process.exitCode !== interrupted) sayWhatWasLeftOut(begun, cluster)
}

/** Installs and starts what tests need once, before those that need it run side by side. Returns the PostgreSQL of the run. */
async function prepare(needing: readonly TestFile[]): Promise<Cluster | undefined> {
  const needs = (pattern: RegExp) =>
    needing.some(({ file, text }) => pattern.test(relative('', file)) || pattern.test(text))
  // What tests start as a command is what was changed, and starts quickly.
  await promisify(execFile)(process.execPath, [serverBuild, '--if-stale'])
  // Handed on, so that not every file looks for one.
  if (needing.some(({ kind }) => kind === 'browser')) process.env.CHROMIUM_PATH = (await findOrInstallChromium()) ?? ''
  if (needing.some(({ file, kind }) => kind === 'browser' || /^console|^docs-page/.test(basename(file)))) {
    await promisify(execFile)(process.execPath, [consoleBuild, '--if-stale'])
  }
  if (needs(/proxies\//)) await findProxies()
  if (needs(/\/slapd\.ts'/)) await findSlapd()
  if (needs(/^test\/metrics\//)) await findPromtool()
  // A file that reaches PostgreSQL by another way is not forgotten: it then starts a cluster of its own.
  if (!needs(/\/(harness|postgres|engines)\.ts'/)) return undefined
  const cluster = (await findOrInstallPostgres()) === undefined ? undefined : await startCluster()
  process.env[clusterVariable] = cluster?.adminUrl ?? 'none'
  return cluster
}

async function runAll(prepared: Promise<void>): Promise<void> {
  // Each file is a process, and each application has threads: all of them would strip the types of all sources again.
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/rollbook')
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort())
  const passed = await runTests({
    stages: stagesOf(selections),
    costs: new Map(chosen.map((one) => [join(process.cwd(), one.file), costOf(one)])),
    namePatterns,
    preload: ['untracked-promises', 'end-at-exit'].map((name) => new URL(`../test/${name}.ts`, import.meta.url).href),
    testMilliseconds: 5 * minute,
    stallMilliseconds: 5 * minute,
    repeatedFiles: process.env.CI ? 3 : 0,
    printsSkipped: true,
    // Libraries print warnings in tests that pass. Output matters to a developer who runs a part of the tests.
    printsOutput: paths.length > 0,
    printsProcessorTime: options['processor-time'],
    prepared,
    signal: interruption.signal,
  })
  if (!passed) process.exitCode = interruption.signal.aborted ? interrupted : 1
}

function sayWhatWasLeftOut(begun: number, cluster: Cluster | undefined): void {
  const seconds = Math.round((Date.now() - begun) / 1000)
  console.log(`\n${titleOf(run)} took ${seconds} s, with everything that it needed first.`)
  if (run === 'rules') console.log(`npm run test:rest would add ${describe(select(files, 'rest'))}.`)
  if (run === 'rest') console.log(`npm test adds ${describe(select(files, 'rules'))}.`)
  if (!process.env.CI) console.log('Tests with random cases tried a fifth of them. CI=true tries all.')
  if (cluster === undefined && process.env[clusterVariable] === 'none') {
    console.log('Nothing was tested on PostgreSQL, which is missing. The beginning of this run says what to install.')
  }
}

function titleOf(one: Run): string {
  if (one === 'rules') return 'npm test'
  return one === 'rest' ? 'npm run test:rest' : 'This run'
}

function describe(left: readonly Selection[]): string {
  const whole = left.flatMap(({ files }) => files.filter(({ isDivided }) => !isDivided)).length
  const divided = left.flatMap(({ files }) => files.filter(({ isDivided }) => isDivided)).length
  const engine = run === 'rules' ? 'PostgreSQL' : 'SQLite'
  return `${whole} files, and the tests of ${divided} more on ${engine}`
}

/** Makes the folder in which the tests make theirs, in memory if possible: SQLite waits for a disk at every commit. */
function makeTemporaryFolder(): string {
  const place = quickPlace()
  const prefix = 'rollbook-run-'
  for (const name of readdirSync(place)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue
    // Left by a run that was killed.
    rmSync(join(place, name), { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(place, `${prefix}${process.pid}-`))
  // PostgreSQL runs as another user, and each test's own folder is private.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  return folder
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

function fail(reason: unknown): void {
  console.error(reason instanceof Error ? reason.message : reason)
  process.exitCode = 1
}
