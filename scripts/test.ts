/**
 * `npm test`: every test, or those of the files and folders given (`npm test -- src/config.test.ts`); options go to
 * Node's runner (`npm test -- --test-name-pattern=roles`).
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify, stripVTControlCharacters } from 'node:util'
import { findOrInstallChromium } from '../test/browser.ts'
import { findOrInstallPromtool } from '../test/metrics/promtool.ts'
import { type Cluster, clusterVariable, findOrInstallPostgres, startCluster } from '../test/postgres.ts'
import { findOrInstallProxies } from '../test/proxies/find.ts'

const consoleBuild = join(import.meta.dirname, 'build-console.ts')
const longestTestMilliseconds = 120_000
const longestRunMilliseconds = 14 * 60_000

const given = process.argv.slice(2)
const options = given.filter((argument) => argument.startsWith('-'))
const paths = given.filter((argument) => !argument.startsWith('-'))
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
  if (mayNeedProxies) await findOrInstallProxies()
  if (mayNeedPromtool) await findOrInstallPromtool()
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
  const env = {
    ...process.env,
    [clusterVariable]: cluster?.adminUrl ?? (mayNeedPostgres ? 'none' : ''),
    // Each file is a process, and each application has threads: all of them would strip the types of all sources anew.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/rollbook'),
  }
  // Three on two processors are an eighth quicker, and what is measured in milliseconds begins to fail.
  const concurrency = '--test-concurrency=2'
  const atExit = `--import=${new URL('../test/end-at-exit.ts', import.meta.url)}`
  const settings = [atExit, `--test-timeout=${longestTestMilliseconds}`, concurrency]
  if (!options.some((option) => option.startsWith('--test-reporter'))) settings.push('--test-reporter=spec')
  const runner = spawn(process.execPath, ['--test', ...settings, ...options, ...files], {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: process.stdout.isTTY ? { ...env, FORCE_COLOR: '1' } : env,
  })
  // The runner's own time-out is for one test; a file whose process does not end would be waited for without end.
  // Interrupted, the runner names the files that were still running.
  const watchdog = setTimeout(() => {
    console.error(`\nThe tests took longer than ${longestRunMilliseconds / 60_000} minutes.`)
    runner.kill('SIGINT')
  }, longestRunMilliseconds)
  // Ctrl-C reaches the runner as well, which has something to say before it ends.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => runner.kill())

  const closing = new Map<string, string>()
  let last = ''
  const lines = createInterface({ input: runner.stdout }).on('line', (line) => {
    console.log(line)
    const count = stripVTControlCharacters(line).match(
      /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /,
    )
    if (count?.[1]) closing.set(count[1], line)
    if (line !== '') last = line
  })
  const [[code]] = await Promise.all([once(runner, 'exit'), once(lines, 'close')])
  clearTimeout(watchdog)

  // After the counts come the failures in full; whoever looks at the end of a log wants the counts.
  const counts = [...closing.values()]
  if (counts.length > 0 && counts.at(-1) !== last) console.log(`\n${counts.join('\n')}`)
  process.exitCode = code ?? 1
}

function fail(reason: unknown): void {
  console.error(reason instanceof Error ? reason.message : reason)
  process.exitCode = 1
}
