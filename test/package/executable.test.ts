import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { version } from '../../src/core/version.ts'

const run = promisify(execFile)
const home = join(import.meta.dirname, '../..')
const executable = join(home, 'bin/rollbook.js')

/** Makes the first process take itself for Node 20, and leaves the process that it starts alone. */
const oldNode = `--import=data:text/javascript,${encodeURIComponent(
  "if (!process.env.STARTED_BY_OLD_NODE) { process.env.STARTED_BY_OLD_NODE = '1'; Object.defineProperty(process.versions, 'node', { value: '20.20.2' }) }",
)}`

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-executable-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

describe('the executable of a checkout', () => {
  it('continues with the Node of the checkout if the Node that was found is too old', async () => {
    const { stdout } = await run(process.execPath, [oldNode, executable, '--version'])
    assert.equal(stdout, `${version}\n`)
    await assert.rejects(run(process.execPath, [oldNode, executable, 'no-such-command']), { code: 2 })
  })

  it('hands signals on, so that a supervisor stops the service and not only its parent', async (t) => {
    const env = { PATH: process.env.PATH, ROLLBOOK_PORT: '0', ROLLBOOK_DATA_DIR: scratch(t) }
    const child = spawn(process.execPath, [oldNode, executable], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    let log = ''
    for await (const chunk of child.stdout) {
      log += chunk
      if (log.includes('"msg":"listening"')) child.kill('SIGTERM')
    }
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
    assert.equal(code, 0, log)
    assert.match(log, /"msg":"stopped"/)
  })

  it('runs the sources when one is younger than the modules that were put together, and else those', async (t) => {
    const copy = scratch(t)
    for (const name of ['bin', 'src', 'built', 'package.json'])
      cpSync(join(home, name), join(copy, name), { recursive: true, preserveTimestamps: true })
    symlinkSync(join(home, 'node_modules'), join(copy, 'node_modules'))
    for (const main of ['src/main.ts', 'built/main.js']) {
      const file = join(copy, main)
      writeFileSync(file, `console.log(${JSON.stringify(main)})`)
    }
    const runs = async (age: number) => {
      const now = Date.now() / 1000
      utimesSync(join(copy, 'built/main.js'), now, now)
      for (const name of globSync('src/**/*.ts', { cwd: copy })) utimesSync(join(copy, name), now - 60, now - 60)
      utimesSync(join(copy, 'src/lib/home.ts'), now - age, now - age)
      return (await run(process.execPath, [join(copy, 'bin/rollbook.js'), '--version'])).stdout.trim()
    }
    assert.equal(await runs(60), 'built/main.js')
    assert.equal(await runs(-60), 'src/main.ts')
    rmSync(join(copy, 'built'), { recursive: true })
    assert.equal((await run(process.execPath, [join(copy, 'bin/rollbook.js')])).stdout.trim(), 'src/main.ts')
  })

  it('is reached through ./rollbook, also by a link from another folder', async (t) => {
    const link = join(scratch(t), 'rb')
    symlinkSync(join(home, 'rollbook'), link)
    const { stdout } = await run(link, ['--version'], { cwd: '/' })
    assert.equal(stdout, `${version}\n`)
  })
})
