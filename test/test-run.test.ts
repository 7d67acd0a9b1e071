import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'

const module = new URL('../scripts/test-run.ts', import.meta.url).href
const stallMilliseconds = 2000

/** Runs one test file as `npm test` does, and returns what was printed. */
function runFile(t: TestContext, source: string): Promise<{ code: number | null; printed: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-runner-'))
  t.after(() => rmSync(directory, { recursive: true }))
  writeFileSync(
    join(directory, 'given.test.mjs'),
    `import { it } from 'node:test'\nimport { setTimeout } from 'node:timers/promises'\n${source}`,
  )
  const settings = `{ files: ['given.test.mjs'], namePatterns: [], printsSkipped: true, printsOutput: false, testMilliseconds: 60_000, stallMilliseconds: ${stallMilliseconds}, signal: new AbortController().signal }`
  const program = join(directory, 'run.mjs')
  writeFileSync(
    program,
    `import { runTests } from '${module}'\nprocess.exitCode = (await runTests(${settings})) ? 0 : 1`,
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
    const { code, printed } = await runFile(t, "for (const n of [1, 2, 3]) it('slow ' + n, () => setTimeout(900))")
    assert.equal(code, 0, printed)
    assert.match(printed, /^✔ .*given\.test\.mjs: 3 tests, /m)
    assert.match(printed, /^ℹ pass 3\n(.*\n)*ℹ duration_ms /m)
  })

  it('ends a run in which no test finishes any more, and names the test', async (t) => {
    const { code, printed } = await runFile(t, "it('ends', () => {})\nit('hangs', () => setTimeout(120_000))")
    assert.equal(code, 1, printed)
    assert.match(printed, /^No test has finished for 2 seconds/m)
    assert.match(printed, /given\.test\.mjs: hangs$/m)
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
})
