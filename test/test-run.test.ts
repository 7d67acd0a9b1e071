import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { select } from '../scripts/test-parts.ts'
import { stagesOf } from '../scripts/test-processes.ts'

const module = new URL('../scripts/test-run.ts', import.meta.url).href
const preload = [new URL('untracked-promises.ts', import.meta.url).href]

type Settings = {
  /** Each file is a stage of its own. */
  apart?: boolean
  printsProcessorTime?: boolean
  stallMilliseconds?: number
  repeatedFiles?: number
  /** What the program does before it runs the files, with `interruption` and `prepared` in scope. */
  before?: string
}

/** Runs one test file as `npm test` does, and returns what was printed. */
function runFile(
  t: TestContext,
  source: string,
  settings?: Settings,
): Promise<{ code: number | null; printed: string }> {
  return runProcess(t, { 'given.test.mjs': source }, settings)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs these files in one process. */
function runProcess(
  t: TestContext,
  sources: Record<string, string>,
  {
    printsProcessorTime = false,
    stallMilliseconds = 60_000,
    repeatedFiles = 0,
    before = '',
    apart = false,
  }: Settings = {},
): Promise<{ code: number | null; printed: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-runner-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const heading = `import { describe, it } from 'node:test'\nimport { setTimeout } from 'node:timers/promises'\n`
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(directory, name), heading + source)
  const stages = JSON.stringify(
    apart
      ? Object.keys(sources).map((file) => ({ processes: [[file]], concurrency: 1 }))
      : [{ processes: [Object.keys(sources)], concurrency: 2 }],
  )
  const settings = `{ stages: ${stages}, preload: ${JSON.stringify(preload)}, namePatterns: [], printsSkipped: true, printsOutput: false, printsProcessorTime: ${printsProcessorTime}, testMilliseconds: 60_000, stallMilliseconds: ${stallMilliseconds}, repeatedFiles: ${repeatedFiles}, prepared, signal: interruption.signal }`
  const program = join(directory, 'run.mjs')
  writeFileSync(
    program,
    `import { runTests } from '${module}'\nconst interruption = new AbortController()\nlet prepared\n${before}\nprocess.exitCode = (await runTests(${settings})) ? 0 : 1`,
  )
  // Node ignores a run that a test file starts, and recognizes it by this variable.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program], { env, cwd: directory }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, printed: stdout + stderr }),
    )
  })
}

describe('the test runner', () => {
  it('waits for a slow run in which tests finish, for longer than it waits for one test', async (t) => {
    const slow = "for (const n of [1, 2, 3]) it('slow ' + n, () => setTimeout(2500))"
    const { code, printed } = await runFile(t, slow, { stallMilliseconds: 6000 })
    assert.equal(code, 0, printed)
    assert.match(printed, /^✔ .*given\.test\.mjs: 3 tests, .* · 1 of 1$/m)
    assert.match(printed, /^ℹ pass 3\n(.*\n)*ℹ duration_ms /m)
  })

  it('waits for a long test that writes meanwhile', async (t) => {
    const { code, printed } = await runFile(
      t,
      "it('long', async () => { for (const n of [1, 2, 3]) { await setTimeout(2500); console.log('part ' + n) } })",
      { stallMilliseconds: 6000 },
    )
    assert.equal(code, 0, printed)
  })

  it('ends a run in which no test finishes any more, and names the test', async (t) => {
    const { code, printed } = await runFile(t, "it('ends', () => {})\nit('hangs', () => setTimeout(120_000))", {
      stallMilliseconds: 6000,
    })
    assert.equal(code, 1, printed)
    assert.match(printed, /^No test has finished for 6 seconds/m)
    assert.match(printed, /given\.test\.mjs: hangs$/m)
  })

  it('ends a process that does not end after its tests, and runs what comes after it', async (t) => {
    const stuck = "process.on('exit', () => { for (;;); })\nit('ends', () => {})"
    const sources = { 'given.test.mjs': stuck, 'later.test.mjs': "it('runs', () => {})" }
    const settings = { stallMilliseconds: 6000, apart: true }
    const { code, printed } = await runProcess(t, sources, settings)
    assert.equal(code, 1, printed)
    assert.match(printed, /^ {2}given\.test\.mjs: its tests have ended, its process has not$/m)
    assert.match(printed, /^✔ later\.test\.mjs: 1 tests/m)
  })

  it('ends what the tests started when it ends early', async (t) => {
    const service = `import { spawn } from 'node:child_process'
      it('hangs', async () => {
        const { pid } = spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 120_000)'], { stdio: 'ignore' })
        console.log('started', pid)
        await setTimeout(120_000)
      })`
    const { printed } = await runFile(t, service, { stallMilliseconds: 6000 })
    const pid = Number(/started (\d+)/.exec(printed)?.[1])
    assert.ok(pid > 0, printed)
    // A killed process is there until the system's first process has noticed.
    for (let tries = 0; isRunning(pid); tries++) {
      assert.ok(tries < 1000, 'the service is still running')
      await sleep(10)
    }
  })

  it('reports no error of a thread that a test waited for', async (t) => {
    const thread = `import { Worker } from 'node:worker_threads'
      import { once } from 'node:events'
      import assert from 'node:assert/strict'
      it('waits', async () => {
        const program = "data:text/javascript,setImmediate(() => { throw new Error('of a thread') })"
        const worker = new Worker(new URL(program))
        await assert.rejects(once(worker, 'exit'), /of a thread/)
        console.error('that is all')
      })
      it('fails', () => { throw new Error('so that the output is printed') })`
    const { printed } = await runFile(t, thread)
    assert.match(printed, /that is all/)
    assert.doesNotMatch(printed, /no test waited for/)
  })

  it('prints at the end what a test counted, with its file', async (t) => {
    const { printed } = await runFile(t, "it('counts', (t) => t.diagnostic('3 kills; copies: 1 of 300'))")
    assert.match(printed, /^ℹ .*given\.test\.mjs: 3 kills; copies: 1 of 300\n\n(.*\n\n)?ℹ tests 1$/m)
  })

  it('prints what a file wrote only if the file failed', async (t) => {
    const passed = await runFile(t, "it('warns', () => console.error('a warning'))")
    assert.equal(passed.code, 0, passed.printed)
    assert.doesNotMatch(passed.printed, /a warning/)
    const failed = await runFile(t, "it('warns', () => { console.error('a warning'); throw new Error('it is wrong') })")
    assert.match(failed.printed, /a warning/)
  })

  it('shows a failure in full, and a file that cannot be loaded', async (t) => {
    const failed = await runFile(t, "it('is wrong', () => { throw new Error('seven is not eight') })")
    assert.equal(failed.code, 1)
    assert.match(failed.printed, /^✖ is wrong$(.*\n)*.*seven is not eight/m)
    const broken = await runFile(t, "import 'no-such-package'")
    assert.equal(broken.code, 1)
    assert.match(broken.printed, /no-such-package/)
  })

  it('fails a file that leaves an error behind that no test waits for, and shows where it comes from', async (t) => {
    const left = "it('passes', async () => { Promise.reject(new Error('left behind')); await setTimeout(20) })"
    const { code, printed } = await runFile(t, left)
    assert.equal(code, 1, printed)
    assert.match(printed, /left behind\n +at .*given\.test\.mjs:3/)
    const thrown =
      "it('passes', async () => { process.nextTick(() => { throw new Error('too late') }); await setTimeout(20) })"
    const late = await runFile(t, thrown)
    assert.equal(late.code, 1, late.printed)
    assert.match(late.printed, /too late/)
  })

  const onlyTheSecondTime = `import { existsSync, writeFileSync } from 'node:fs'
      it('passes the second time', () => {
        if (existsSync('tried')) return
        writeFileSync('tried', '')
        throw new Error('the machine was busy')
      })`

  it('runs a failed file once more, alone, and names it with its first failure if it passes then', async (t) => {
    const { code, printed } = await runProcess(
      t,
      { 'a.test.mjs': "it('passes', () => {})", 'b.test.mjs': onlyTheSecondTime },
      { repeatedFiles: 3 },
    )
    assert.equal(code, 0, printed)
    assert.match(printed, /^Once more, alone: b\.test\.mjs$/m)
    assert.match(printed, /^Unstable: (.*\n)*.*the machine was busy/m)
    assert.match(printed, /^ℹ pass 2\nℹ fail 0$/m)
  })

  it('fails if the file fails again, if too many files failed, and if no file is to be repeated', async (t) => {
    const wrong = "it('is wrong', () => { throw new Error('seven is not eight') })"
    assert.equal((await runFile(t, wrong, { repeatedFiles: 3 })).code, 1)
    assert.equal((await runFile(t, onlyTheSecondTime)).code, 1)
    const two = { 'a.test.mjs': onlyTheSecondTime, 'b.test.mjs': wrong }
    const { code, printed } = await runProcess(t, two, { repeatedFiles: 1 })
    assert.equal(code, 1)
    assert.doesNotMatch(printed, /Once more/)
  })

  it('says what had passed when it is interrupted, and does not call the rest a failure', async (t) => {
    const lasting =
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); it('hangs', () => setTimeout(120_000))"
    const sources = { 'a.test.mjs': "it('passes', () => {})", 'b.test.mjs': lasting }
    const before = 'setTimeout(() => interruption.abort(), 4000)'
    const { code, printed } = await runProcess(t, sources, { before })
    assert.equal(code, 1)
    assert.match(printed, /^Interrupted after \d+ s\. Until then 1 of 2 files had ended: 1 tests passed, 0 failed\./m)
    assert.doesNotMatch(printed, /✖|fail 1/)
  })

  it('waits for what the tests need, and fails with the reason if it is missing', async (t) => {
    const before = "prepared = Promise.reject(new Error('there is no database'))"
    const { code, printed } = await runFile(t, "it('passes', () => {})", { before })
    assert.equal(code, 1)
    assert.match(printed, /there is no database/)
  })

  it('sums up the skipped tests by their reasons', async (t) => {
    const skips = "for (const n of [1, 2]) it('skipped ' + n, { skip: 'there is no Chromium' }, () => {})"
    const { printed } = await runFile(t, skips)
    assert.match(printed, /^Skipped:\n +2 there is no Chromium$/m)
  })

  it('runs files in one process one after the other, with a line and the failures of each', async (t) => {
    const first = "describe('first', () => { it('is slow', () => setTimeout(300)); it('ends', () => {}) })"
    const second = "it('is wrong', () => { throw new Error('seven is not eight') })"
    const { code, printed } = await runProcess(t, { 'a.test.mjs': first, 'b.test.mjs': second, 'c.test.mjs': '' })
    assert.equal(code, 1)
    const order =
      /^✔ a\.test\.mjs: 2 tests, .*\n✖ is wrong\n {2}b\.test\.mjs:3, .*\n✖ b\.test\.mjs: 1 tests, .*\n✔ c\.test\.mjs: 0 tests · 3 of 3$/m
    assert.match(printed, order)
    assert.match(printed, /seven is not eight/)
  })

  const needsLinux = process.platform !== 'linux' && 'only Linux says what the children of a process used'

  it('prints how much processor time each file used, with what it started', { skip: needsLinux }, async (t) => {
    const starts = `import { execFile } from 'node:child_process'
      import { promisify } from 'node:util'
      const busy = 'let used; do used = process.cpuUsage(); while (used.user + used.system < 400_000)'
      it('starts a busy process', () => promisify(execFile)(process.execPath, ['--eval', busy]))`
    const waits = "it('waits', () => setTimeout(300))"
    const sources = { 'a.test.mjs': waits, 'b.test.mjs': starts, 'c.test.mjs': waits }
    const { printed } = await runProcess(t, sources, { printsProcessorTime: true })
    const [, seconds] = /^Processor time .*\n +([\d.]+) b\.test\.mjs\n/m.exec(printed) ?? []
    assert.ok(Number(seconds) >= 0.3, printed)
    assert.match(printed, /^ +[\d.]+ in 3 files$/m)
  })

  it('fails for every file of a process of which one cannot be loaded', async (t) => {
    const sources = { 'a.test.mjs': "it('passes', () => {})", 'b.test.mjs': "import 'no-such-package'" }
    const { code, printed } = await runProcess(t, sources)
    assert.equal(code, 1)
    assert.match(printed, /^✖ a\.test\.mjs, b\.test\.mjs$/m)
    assert.match(printed, /no-such-package/)
  })
})

describe('the processes of the tests', () => {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/src/**/*.test.ts'])
  const groups = stagesOf(select(files, 'all')).flatMap(({ processes }) => processes)

  it('run every file once', () => {
    assert.deepEqual(groups.flat().sort(), files.toSorted())
  })

  it('are shared, also by files that start processes, but never by those that change their own, and by few browsers', () => {
    const groupOf = (file: string) => groups.find((group) => group.includes(file)) ?? []
    for (const file of ['src/administration/groups/groups.test.ts', 'src/cli/host/admin.test.ts'])
      assert.ok(groupOf(file).length > 2)
    for (const file of ['src/access/pages/gateway/gateway.test.ts', 'src/http/response/snapshot-stream.test.ts'])
      assert.deepEqual(groupOf(file), [file])
    const ofBrowsers = groups.filter((group) => group.some((file) => file.startsWith('test/browser/')))
    for (const group of ofBrowsers)
      assert.ok(group.length <= 4 && group.every((file) => file.startsWith('test/browser/')))
  })

  it('are fewer at once where times are compared', () => {
    const [pure, first, ...others] = stagesOf(select(files, 'all'))
    assert.equal(pure?.arePure, true)
    assert.ok(first?.processes.some(([file]) => file === 'test/sign-in/timing.test.ts'))
    for (const { concurrency } of others) assert.ok(concurrency > (first?.concurrency ?? 0))
  })

  it('are two for two files, one for each processor', () => {
    const [stage] = stagesOf(select(['src/lib/fold.test.ts', 'src/lib/precis.test.ts'], 'all'))
    assert.equal(stage?.processes.length, 2)
  })
})
