import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const mostBytes = 12_288

async function compile(args: readonly string[]): Promise<void> {
  await run(process.execPath, [compiler, ...args], { cwd: root }).catch((error) => assert.fail(error.stdout))
}

describe('the shipped client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-client-'))
  before(async () => {
    const settings = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        target: 'es2023',
        rootDir: join(root, 'src'),
        outDir: folder,
        noEmit: false,
        declaration: true,
        rewriteRelativeImportExtensions: true,
        // The client uses what every runtime has, and nothing of Node's.
        types: [],
        lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      },
      include: [join(root, 'src/sdk/client')],
    }
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    await compile(['-p', join(folder, 'tsconfig.json')])
  })
  after(() => rmSync(folder, { recursive: true }))

  it('is smaller than 12 kB, compressed and without comments', () => {
    const files = globSync('sdk/client/*.js', { cwd: folder }).sort()
    assert.ok(files.length > 5)
    const code = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('')
    const bytes = gzipSync(withoutComments(code), { level: 9 }).length
    assert.ok(bytes <= mostBytes, `${bytes} bytes`)
  })

  it('imports nothing but itself', () => {
    for (const file of globSync('sdk/client/*.{js,d.ts}', { cwd: folder })) {
      const text = readFileSync(join(folder, file), 'utf8')
      const imported = [
        ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)/gm),
      ].map(([, from, loaded]) => from ?? loaded ?? '')
      const foreign = imported.filter((name) => !name.startsWith('./'))
      assert.deepEqual(foreign, [], file)
    }
  })

  it('has types for Node, for a browser and for a worker', async () => {
    const consumer = join(folder, 'consumer.ts')
    writeFileSync(
      consumer,
      `import { type ProblemCode, RollbookClient, RollbookError, type User } from './sdk/client/index.js'
      const client = new RollbookClient({ url: 'https://orchard.example.com/auth', apiKey: async () => 'rb_1', fetch })
      const names: string[] = []
      for await (const user of client.users.list({ role: 'admin' }, { signal: AbortSignal.timeout(1) })) names.push(user.username)
      const changed: User = await client.users.update('id', ({ last_name }) => ({ first_name: last_name }))
      const { body, headers } = await client.users.listRaw()
      for await (const chunk of body) chunk.length satisfies number
      headers.get('etag') satisfies string | null
      export const code = (error: unknown): ProblemCode | undefined => error instanceof RollbookError ? error.code : undefined
      // @ts-expect-error An unknown code is an error.
      code(undefined) === 'user_lost'
      // @ts-expect-error An unknown member is an error.
      await client.users.create({ username: 'a', is_admin: 'true' })
      // @ts-expect-error An unknown sort order is an error.
      client.users.list({ sort: 'shoe size' })
      export { changed, names }`,
    )
    const strict = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2023',
    ]
    const runtimes = [
      ['--lib', 'es2023', '--types', 'node', '--typeRoots', join(root, 'node_modules/@types')],
      ['--lib', 'es2023,dom,dom.iterable,dom.asynciterable', '--types', ''],
      ['--lib', 'es2023,webworker,webworker.iterable,webworker.asynciterable', '--types', ''],
    ]
    for (const runtime of runtimes) await compile([...strict, ...runtime, consumer])
  })
})

/** Removes comments like a bundler. Only whole lines; the rest counts as code. */
function withoutComments(code: string): string {
  return code.replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '').replaceAll(/^\s*\/\/.*\n/gm, '')
}
