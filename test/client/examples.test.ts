import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { adminKey, anyEngine, start } from '../harness.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

type Example = { from: string; text: string; printed: string[] }

/** The examples in doc comments assume a client. */
const beginning = `import { RollbookClient } from '@rollbook/sdk/client'

const client = new RollbookClient({ url: 'https://orchard.example.com/auth', apiKey: 'rb_…' })
`

/** Turns an example into a module. `console.log(…) // text` states what it prints. */
function examplesIn(file: string): Example[] {
  const whole = readFileSync(join(root, file), 'utf8')
  const text = file.endsWith('.md') ? whole : whole.replaceAll(/^ *\* ?/gm, '')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ''], i) => ({
    from: `${file}, example ${i + 1}`,
    text: code.includes('new RollbookClient') ? code : beginning + code,
    printed: [...code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, line]) => line as string),
  }))
}

/** Runs the examples in sequence and returns what each printed. */
const runner = `
import { format } from 'node:util'
const [count] = process.argv.slice(2).map(Number)
const printed = []
const { log } = console
for (let i = 0; i < count; i += 1) {
  const lines = []
  console.log = (...values) => lines.push(...format(...values).split('\\n'))
  await import('./example-' + i + '.ts')
  printed.push(lines)
}
log(JSON.stringify(printed))
`

describe('the examples of the client', () => {
  it('compile, run, and print what their comments say', async (t) => {
    const examples = [...globSync('src/sdk/client/*.ts', { cwd: root }).sort(), 'docs/client.md'].flatMap(examplesIn)
    assert.ok(examples.length >= 12 && examples.some(({ from }) => from.startsWith('docs/')))
    const app = await start(t, anyEngine)
    const url = await app.listen()

    const project = mkdtempSync(join(tmpdir(), 'rollbook-examples-'))
    t.after(() => rmSync(project, { recursive: true }))
    const modules = join(project, 'node_modules')
    mkdirSync(modules)
    mkdirSync(join(modules, '@rollbook'))
    symlinkSync(join(root, 'src/sdk'), join(modules, '@rollbook/sdk'))
    for (const name of ['@types', 'undici-types']) symlinkSync(join(root, 'node_modules', name), join(modules, name))
    writeFileSync(join(project, 'package.json'), '{"type": "module"}')
    writeFileSync(join(project, 'runner.js'), runner)
    for (const [i, { text }] of examples.entries()) {
      const here = text.replaceAll('https://orchard.example.com/auth', url).replaceAll('rb_…', adminKey)
      writeFileSync(join(project, `example-${i}.ts`), here)
    }

    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2023',
    ]
    const sources = ['--customConditions', 'rollbook-source', '--allowImportingTsExtensions', '--types', 'node']
    const files = examples.map((_, i) => `example-${i}.ts`)
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, ...options, ...sources, ...files], { cwd: project }).catch((error) => {
      const named = (_: string, i: string) => `${examples[Number(i)]?.from} `
      assert.fail(String(error.stdout).replaceAll(/example-(\d+)\.ts/g, named))
    })

    const { stdout } = await run(
      process.execPath,
      ['--conditions=rollbook-source', 'runner.js', String(examples.length)],
      { cwd: project, env: { PATH: process.env.PATH, ROLLBOOK_URL: url, ROLLBOOK_API_KEY: adminKey } },
    )
    const printed = JSON.parse(stdout) as string[][]
    for (const [i, { from, printed: said }] of examples.entries()) assert.deepEqual(printed[i], said, from)
  })
})
