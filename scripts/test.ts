/**
 * `npm test`: every test, or the tests of the given files and folders (`npm test -- src/core/config.test.ts`), or those whose
 * names match (`npm test -- --test-name-pattern=roles`).
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { findOrInstallChromium } from '../test/browser.ts'
import { findPromtool } from '../test/metrics/promtool.ts'
import { type Cluster, clusterVariable, findOrInstallPostgres, startCluster } from '../test/postgres.ts'
import { findProxies } from '../test/proxies/find.ts'
import { runTests } from './test-run.ts'

const consoleBuild = join(import.meta.dirname, 'build-console.ts')
const minute = 60_000

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true, default: [] } },
})
const patterns = (paths.length > 0 ? paths : ['src', 'test', 'console/src']).map((path) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, '**/*.test.ts') : path,
)
const files = globSync(patterns).sort()
const mayNeedBrowser = files.some((file) => !relative('test', file).startsWith('..'))

const mayNeedConsole = files.some((file) => basename(file).startsWith('console'))

const mayNeedProxies = files.some((file) => !relative('test/proxies', file).startsWith('..'))

const mayNeedPromtool = files.some((file) => !relative('test/metrics', file).startsWith('..'))

// A file that reaches PostgreSQL by another way is not forgotten: it then starts a cluster of its own.
const mayNeedPostgres = files.some((file) => /\/(harness|postgres)\.ts'/.test(readFileSync(file, 'utf8')))

if (files.length === 0) fail(`There are no test files: ${patterns.join(' ')}`)
else await prepareAndRun().catch(fail)

/** What is installed or started is so once, before the files run side by side. */
async function prepareAndRun(): Promise<void> {
  // Handed on, so that not every file looks for one.
  if (mayNeedBrowser) process.env.CHROMIUM_PATH = (await findOrInstallChromium()) ?? ''
  if (mayNeedConsole) await promisify(execFile)(process.execPath, [consoleBuild, '--if-stale'])
  if (mayNeedProxies) await findProxies()
  if (mayNeedPromtool) await findPromtool()
  const postgres = mayNeedPostgres ? await findOrInstallPostgres() : undefined
  const cluster = postgres !== undefined ? await startCluster() : undefined
  try {
    await run(cluster)
  } finally {
    await cluster?.remove()
  }
  if (mayNeedPostgres && cluster === undefined) {
    console.log('\nNothing was tested on PostgreSQL: there is none. What to install is said at the beginning.')
  }
}

async function run(cluster: Cluster | undefined): Promise<void> {
  process.env[clusterVariable] = cluster?.adminUrl ?? (mayNeedPostgres ? 'none' : '')
  // Each file is a process, and each application has threads: all of them would strip the types of all sources again.
  process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/rollbook')
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort())
  const passed = await runTests({
    files,
    namePatterns: options['test-name-pattern'],
    preload: new URL('../test/end-at-exit.ts', import.meta.url).href,
    testMilliseconds: 5 * minute,
    stallMilliseconds: 5 * minute,
    signal: interruption.signal,
  })
  if (!passed) process.exitCode = 1
}

function fail(reason: unknown): void {
  console.error(reason instanceof Error ? reason.message : reason)
  process.exitCode = 1
}
