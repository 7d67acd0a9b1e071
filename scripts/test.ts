/**
 * `npm test`: every test, or the tests of the given files and folders (`npm test -- src/core/config.test.ts`), or those whose
 * names match (`npm test -- --test-name-pattern=roles`). `--quick` (`npm run test:quick`) runs the rules of each feature on SQLite
 * alone, without processes, browsers and whole lists. `--processor-time` prints which files used most, on Linux.
 */
import { execFile } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { findOrInstallChromium } from '../test/browser.ts'
import { findPromtool } from '../test/metrics/promtool.ts'
import { type Cluster, clusterVariable, findOrInstallPostgres, startCluster } from '../test/postgres.ts'
import { findProxies } from '../test/proxies/find.ts'
import { quickPlace } from '../test/quick-place.ts'
import { findSlapd } from '../test/slapd.ts'
import { stagesOf } from './test-processes.ts'
import { runTests } from './test-run.ts'

const consoleBuild = join(import.meta.dirname, 'build-console.ts')
const serverBuild = join(import.meta.dirname, 'build-server.ts')
const minute = 60_000

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    'processor-time': { type: 'boolean', default: false },
  },
})
const patterns = (paths.length > 0 ? paths : ['src', 'test', 'console/src']).map((path) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, '**/*.test.ts') : path,
)
const files = globSync(patterns).filter((file) => !(options.quick && isLeftOut(file)))

/** Tests across features, tests that start commands or services, and files that say that they take long. */
function isLeftOut(file: string): boolean {
  if (!relative('test', file).startsWith('..')) return true
  const text = readFileSync(file, 'utf8')
  return /command-process|child_process|durability\/process/.test(text) || text.includes('test:quick leaves it out')
}

const mayNeedBrowser = !options.quick && files.some((file) => !relative('test', file).startsWith('..'))

const mayNeedConsole = !options.quick && files.some((file) => /^(console|docs-page)/.test(basename(file)))

const mayNeedProxies = files.some((file) => !relative('test/proxies', file).startsWith('..'))

const mayNeedSlapd = files.some((file) => /\/slapd\.ts'/.test(readFileSync(file, 'utf8')))

const mayNeedPromtool = files.some((file) => !relative('test/metrics', file).startsWith('..'))

// A file that reaches PostgreSQL by another way is not forgotten: it then starts a cluster of its own.
const mayNeedPostgres =
  !options.quick && files.some((file) => /\/(harness|postgres)\.ts'/.test(readFileSync(file, 'utf8')))

if (files.length === 0) fail(`There are no test files: ${patterns.join(' ')}`)
else await prepareAndRun().catch(fail)

/** What is installed or started is so once, before the files run side by side. */
async function prepareAndRun(): Promise<void> {
  // What tests start as a command is what was changed, and starts quickly.
  await promisify(execFile)(process.execPath, [serverBuild, '--if-stale'])
  // Handed on, so that not every file looks for one.
  if (mayNeedBrowser) process.env.CHROMIUM_PATH = (await findOrInstallChromium()) ?? ''
  if (mayNeedConsole) await promisify(execFile)(process.execPath, [consoleBuild, '--if-stale'])
  if (mayNeedProxies) await findProxies()
  if (mayNeedSlapd) await findSlapd()
  if (mayNeedPromtool) await findPromtool()
  const postgres = mayNeedPostgres ? await findOrInstallPostgres() : undefined
  const cluster = postgres !== undefined ? await startCluster() : undefined
  try {
    await run(cluster)
  } finally {
    await cluster?.remove()
  }
  if (!process.env.CI) console.log('\nTests with random cases tried a fifth of them. CI=true tries all.')
  if (mayNeedPostgres && cluster === undefined) {
    console.log('\nNothing was tested on PostgreSQL: there is none. What to install is said at the beginning.')
  }
}

async function run(cluster: Cluster | undefined): Promise<void> {
  process.env[clusterVariable] = cluster?.adminUrl ?? (mayNeedPostgres || options.quick ? 'none' : '')
  // Each file is a process, and each application has threads: all of them would strip the types of all sources again.
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/rollbook')
  const place = makeTemporaryFolder()
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort())
  try {
    const passed = await runTests({
      stages: stagesOf(files),
      namePatterns: options['test-name-pattern'],
      preload: ['untracked-promises', 'end-at-exit'].map((name) => new URL(`../test/${name}.ts`, import.meta.url).href),
      testMilliseconds: 5 * minute,
      stallMilliseconds: 5 * minute,
      printsSkipped: !options.quick,
      // Libraries print warnings in tests that pass. Output matters to a developer who runs a part of the tests.
      printsOutput: paths.length > 0,
      printsProcessorTime: options['processor-time'],
      signal: interruption.signal,
    })
    if (!passed) process.exitCode = 1
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
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
