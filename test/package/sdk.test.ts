import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { startIssuer } from '../verify/issuer.ts'
import { copyCheckout, install, nodeOfVersion, pack, readJson, root } from './packed.ts'

type Manifest = {
  version: string
  engines: { node: string }
  dependencies: Record<string, string>
  exports: Record<string, unknown>
}

const run = promisify(execFile)
const server = readJson<Manifest>(join(root, 'package.json'))
const sdk = readJson<Manifest>(join(root, 'src/sdk/package.json'))
const oldest = `${sdk.engines.node.slice('>='.length)}.0`
const subpaths = Object.keys(sdk.exports).filter((path) => path !== './package.json')

describe('the installed SDK', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'rollbook-sdk-'))
  const checkout = join(scratch, 'checkout')
  const project = join(scratch, 'project')
  const modules = join(project, 'node_modules')
  const installed = join(modules, '@rollbook/sdk')
  let tarball: string

  before(async () => {
    mkdirSync(checkout)
    tarball = await pack(join(copyCheckout(checkout), 'src/sdk'), scratch)
    await install(project, tarball)
  })
  after(() => rmSync(scratch, { recursive: true }))

  it('has the version of the server, its subpaths and its jose', () => {
    assert.equal(sdk.version, server.version)
    const withoutServer = Object.keys(server.exports).filter((name) => name !== './server')
    assert.deepEqual(Object.keys(sdk.exports), withoutServer)
    assert.deepEqual(sdk.dependencies, { jose: server.dependencies.jose })
  })

  it('installs itself and jose, 1.7 MB at most, and leaves nothing in the checkout', (t) => {
    const names = globSync(['*/package.json', '@*/*/package.json'], { cwd: modules }).map(dirname).sort()
    assert.deepEqual(names, ['@rollbook/sdk', 'jose'])
    const files = globSync('**/*.*', { cwd: modules, withFileTypes: true }).filter((one) => one.isFile())
    const own = globSync('**/*.*', { cwd: installed, withFileTypes: true }).filter((one) => one.isFile())
    const bytes = (all: typeof files) =>
      all.reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0)
    t.diagnostic(`${own.length} files with ${bytes(own)} bytes; with jose ${files.length} with ${bytes(files)}`)
    assert.ok(bytes(files) <= 1_700_000, `${bytes(files)} bytes`)
    assert.deepEqual(globSync('**/*.test.*', { cwd: installed }), [])
    for (const name of ['LICENSE', 'README.md']) assert.ok(existsSync(join(installed, name)), name)
    for (const name of ['dist', 'LICENSE']) assert.equal(existsSync(join(checkout, 'src/sdk', name)), false, name)
  })

  it('has nothing that publint or arethetypeswrong would complain of, for import, require and bundlers', async () => {
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
      strict: true,
    })
    assert.deepEqual(messages, [])
    const judge = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    await run(process.execPath, [judge, '--profile', 'node16', '--no-emoji', tarball]).catch(({ stdout }) =>
      assert.fail(stdout),
    )
  })

  it('leads from each declaration to its source', () => {
    const maps = globSync('dist/**/*.d.ts.map', { cwd: installed })
    assert.ok(maps.length > 60)
    for (const map of maps) {
      const { sources } = readJson<{ sources: string[] }>(join(installed, map))
      assert.equal(sources.length, 1)
      const source = join(installed, dirname(map), sources[0] as string)
      assert.ok(existsSync(source), `${map} leads to ${sources[0]}`)
      assert.equal(source, join(installed, map.replace(/^dist\/(esm|cjs)\//, '').replace(/\.d\.ts\.map$/, '.ts')))
    }
  })

  const program = `
    const verifier = createVerifier({ issuer: process.argv[2], whenCut: 'open' })
    const handle = guard(verifier)('reports:read', (_request, caller) => Response.json(caller))
    const headers = { authorization: 'Bearer ' + process.argv[3] }
    const client = new RollbookClient({ url: process.argv[2], apiKey: process.argv[3] })
    handle(new Request('http://localhost/reports', { headers }))
      .then((answer) => answer.json())
      .then(({ user_id }) => verifier.verify({ headers: {} }).catch((error) =>
        console.log(user_id, error instanceof VerifyError, typeof client.users.list)))`
  const names = { client: 'RollbookClient', verify: 'createVerifier, VerifyError', 'verify/fetch': 'guard' }

  // Each is a download of 40 MB.
  for (const version of process.env.CI ? [oldest, '22.0.0', '24.0.0'] : [oldest]) {
    it(`verifies a token on Node ${version}, by import and by require`, async (t) => {
      const [node, issuer] = [await nodeOfVersion(version), await startIssuer(t)]
      const all = subpaths.map((path) => `@rollbook/sdk/${path.slice(2)}`)
      const files = {
        'main.mjs': [
          ...Object.entries(names).map(([path, name]) => `import { ${name} } from '@rollbook/sdk/${path}'`),
          ...all.map((path) => `await import('${path}')`),
        ],
        'main.cjs': [
          ...Object.entries(names).map(([path, name]) => `const { ${name} } = require('@rollbook/sdk/${path}')`),
          ...all.map((path) => `require('${path}')`),
        ],
      }
      for (const [file, lines] of Object.entries(files)) {
        writeFileSync(join(project, file), lines.join('\n') + program)
        const options = ['--disable-warning=ExperimentalWarning', file, issuer.url, await issuer.token()]
        const { stdout, stderr } = await run(node, options, { cwd: project })
        assert.deepEqual([stdout, stderr], ['user-1 true function\n', ''], file)
      }
    })
  }

  for (const [resolution, module] of [
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['bundler', 'preserve'],
  ] as const) {
    it(`has types for strict projects of both kinds, with the resolution ${resolution}`, async () => {
      for (const name of ['@types', 'undici-types', 'fastify', 'hono']) {
        if (!existsSync(join(modules, name))) symlinkSync(join(root, 'node_modules', name), join(modules, name))
      }
      const text = `
        import { RollbookClient, RollbookError } from '@rollbook/sdk/client'
        import { createVerifier, type Caller } from '@rollbook/sdk/verify'
        import { guard as express_ } from '@rollbook/sdk/verify/express'
        import { guard as fastify_ } from '@rollbook/sdk/verify/fastify'
        import { guard as hono_ } from '@rollbook/sdk/verify/hono'
        const verifier = createVerifier({ issuer: 'https://orchard.example.com/auth', key: 'rb_1' })
        export const guards = [express_(verifier)('a:b'), fastify_(verifier)('a:b'), hono_(verifier)('a:b')]
        export const nameOf = (caller: Caller) => caller.username satisfies string | undefined
        const client = new RollbookClient({ url: 'https://orchard.example.com/auth', apiKey: 'rb_1' })
        // @ts-expect-error Nothing has this name.
        client.users.create({ username: 'ada', colour: 'red' })
        export const taken = (error: unknown) => error instanceof RollbookError && error.code === 'username_taken'`
      for (const file of ['main.mts', 'main.cts']) writeFileSync(join(project, file), text)
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', '--skipLibCheck']
      const compiler = join(root, 'node_modules/typescript/bin/tsc')
      const how = ['--module', module, '--moduleResolution', resolution]
      await run(process.execPath, [compiler, ...options, ...how, 'main.mts', 'main.cts'], { cwd: project }).catch(
        (error) => assert.fail(error.stdout),
      )
    })
  }

  it('gives a bundle only what it uses', async () => {
    writeFileSync(join(project, 'page.js'), `export { etagOf } from '@rollbook/sdk/client'\n`)
    const { build } = await import('vite')
    const built = await build({
      root: project,
      logLevel: 'silent',
      configFile: false,
      build: { write: false, minify: true, lib: { entry: join(project, 'page.js'), formats: ['es'] } },
    })
    const [{ output }] = built as unknown as [{ output: { code: string }[] }]
    assert.equal(output.length, 1)
    const [{ code }] = output as [{ code: string }]
    assert.ok(code.length < 1000, code)
  })
})

it('npm would publish both packages', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'rollbook-publish-'))
  try {
    const checkout = copyCheckout(scratch)
    for (const folder of [checkout, join(checkout, 'src/sdk')]) {
      // A registry that is not there: a dry run must not need one.
      const options = ['publish', '--dry-run', '--registry=http://127.0.0.1:9/', '--fetch-retries=0']
      // The build of the server is part of another test, and the slowest thing here.
      if (folder === checkout) options.push('--ignore-scripts')
      const { stdout, stderr } = await run('npm', options, { cwd: folder, maxBuffer: 16 << 20 })
      assert.match(stdout + stderr, /^\+ (@rollbook\/sdk|rollbook)@\d/m)
      assert.doesNotMatch(stdout + stderr, /auto-corrected|npm error/)
    }
  } finally {
    rmSync(scratch, { recursive: true })
  }
})
