import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { freePort } from '../free-port.ts'
import { startIssuer } from '../verify/issuer.ts'
import { copyCheckout, install, nodeOfVersion, pack, readJson, root, unpack } from './packed.ts'

type Manifest = { version: string; engines: { node: string }; exports: Record<string, string | Record<string, string>> }
type Locked = {
  version: string
  dev?: boolean
  hasInstallScript?: boolean
  optionalDependencies?: Record<string, string>
}
type Lock = { packages: Record<string, Locked> }
type Component = { name: string; version: string; licenses?: { license?: { id?: string }; expression?: string }[] }
type Bill = { specVersion: string; metadata: { component: Component }; components: Component[] }

const run = promisify(execFile)
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const { version, engines, exports } = readJson<Manifest>(join(root, 'package.json'))
const oldest = `${/^>=(\d+\.\d+)$/.exec(engines.node)?.[1]}.0`
const subpaths = Object.keys(exports)
  .filter((path) => path !== './package.json')
  .map((path) => path.slice('./'.length))
const libraries = subpaths.filter((subpath) => subpath !== 'server')

describe('the installed package', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'rollbook-package-'))
  const checkout = join(scratch, 'checkout')
  const project = join(scratch, 'project')
  const modules = join(project, 'node_modules')
  const installed = join(modules, 'rollbook')
  const unpacked = join(scratch, 'unpacked')
  let tarball: string
  let again: string
  let said: string
  let node: string

  before(async () => {
    mkdirSync(checkout)
    const fetching = nodeOfVersion(oldest)
    tarball = await pack(copyCheckout(checkout), scratch)
    const other = join(scratch, 'again')
    mkdirSync(other)
    // Both take their time, and neither needs all of the machine.
    ;[said, again, node] = await Promise.all([
      install(project, tarball),
      unpack(unpacked, tarball).then(() => pack(checkout, other)),
      fetching,
    ])
    writeFileSync(join(project, 'package.json'), '{"type": "module"}')
  })
  after(() => rmSync(scratch, { recursive: true }))

  /** As `npx rollbook` does in the folder, with the oldest Node that the package says it needs. */
  function rollbook(args: string[], env: Record<string, string>, log: 'pipe' | 'ignore' = 'pipe') {
    const child = spawn(join(modules, '.bin/rollbook'), args, {
      cwd: project,
      env: { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: scratch, ...env },
      stdio: ['ignore', log, 'pipe'],
    })
    return { child, ended: once(child, 'close') as Promise<[number]> }
  }

  async function request(
    args: string[],
    env: Record<string, string> = {},
  ): Promise<{ code: number; out: string; err: string }> {
    const { child, ended } = rollbook(args, env)
    const [out, err, [code]] = await Promise.all([
      text(child.stdout as Readable),
      text(child.stderr as Readable),
      ended,
    ])
    return { code, out, err }
  }

  async function serve(t: TestContext, env: Record<string, string>): Promise<void> {
    const { child, ended } = rollbook([], env, 'ignore')
    t.after(async () => {
      child.kill('SIGKILL')
      await ended
    })
    let output = ''
    // Read to the end: what it could not write would end it.
    const served = new Promise<void>((resolve) => {
      child.stderr?.setEncoding('utf8').on('data', (part: string) => {
        output += part
        if (output.includes('Rollbook serves')) resolve()
      })
    })
    await Promise.race([served, ended.then(() => assert.fail(output))])
  }

  it('is one file of at most 6 MB, a third of it pictures of the documentation, which leaves nothing in the checkout that would become stale', () => {
    assert.equal(basename(tarball), `rollbook-${version}.tgz`)
    assert.ok(statSync(tarball).size <= 6_000_000, `${statSync(tarball).size} bytes`)
    for (const name of ['dist', 'npm-shrinkwrap.json']) assert.equal(existsSync(join(checkout, name)), false, name)
  })

  it('contains plain JavaScript and types for each subpath, and neither tests nor sources that Node could not run', () => {
    for (const subpath of libraries) {
      const file = existsSync(join(root, 'src/sdk', subpath)) ? `sdk/${subpath}/index` : `sdk/${subpath}`
      for (const extension of ['js', 'd.ts']) assert.ok(existsSync(join(installed, `dist/${file}.${extension}`)), file)
    }
    for (const file of ['built/open.js', 'dist/app/embedded/types.d.ts'])
      assert.ok(existsSync(join(installed, file)), file)
    assert.deepEqual(globSync('{src,built,dist,scripts}/**/*.test.*', { cwd: installed }), [])
    const sources = globSync('{bin,built,dist,src}/**/*.ts', { cwd: installed })
    const others = sources.filter((file) => !/^src\/sdk\/(client|verify)\/|^dist\/.*\.d\.ts$/.test(file))
    assert.deepEqual(others, [])
  })

  it('has nothing that publint or arethetypeswrong would complain of', async () => {
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
      strict: true,
    })
    assert.deepEqual(messages, [])
    // It is for ESM alone, as Node 24 can also `require` it.
    const judge = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    await run(process.execPath, [judge, '--profile', 'esm-only', '--no-emoji', tarball]).catch(({ stdout }) =>
      assert.fail(stdout),
    )
  })

  it('runs no script when it is installed, and builds nothing', () => {
    assert.doesNotMatch(said, /install-scripts|rollbook@/)
    for (const [path, { hasInstallScript, dev }] of Object.entries(lockOf(unpacked))) {
      assert.ok(dev || !hasInstallScript, path)
    }
    assert.deepEqual(globSync('**/binding.gyp', { cwd: modules }), [])
  })

  it('installs what was tested on every kind of machine, and nothing that only developers need', () => {
    const locked = lockOf(unpacked)
    assert.deepEqual(locked, readJson<Lock>(join(root, 'package-lock.json')).packages)
    for (const [path, { dev, optionalDependencies }] of Object.entries(locked)) {
      if (dev) assert.equal(existsSync(join(unpacked, path)), false, path)
      for (const name of dev ? [] : Object.keys(optionalDependencies ?? {})) {
        assert.ok(locked[`node_modules/${name}`], `${path} needs ${name} on some machines`)
      }
    }
    const packages = packagesIn(unpacked)
    assert.ok(packages.length > 50)
    for (const { path, manifest } of packages) assert.equal(locked[path]?.version, manifest.version, path)
  })

  it('has a bill of materials that names each package it was tested with, with version and licence', () => {
    const bill = readJson<Bill>(join(installed, 'dist/sbom.cdx.json'))
    assert.deepEqual([bill.metadata.component.name, bill.metadata.component.version], ['rollbook', version])
    const named = new Map(bill.components.map((one) => [`${one.name} ${one.version}`, one]))
    const texts = readFileSync(join(installed, 'dist/third-party-licenses.txt'), 'utf8')
    for (const { manifest } of packagesIn(unpacked)) {
      const key = `${manifest.name} ${manifest.version}`
      const licences = named.get(key)?.licenses?.map(({ license, expression }) => license?.id ?? expression)
      assert.deepEqual(licences, [manifest.license], key)
      assert.ok(texts.includes(`${key} (${manifest.license})\n`), key)
    }
  })

  it('is the same when the same commit is packed again', () => {
    assert.equal(digestOf(again), digestOf(tarball))
  })

  it(`on Node ${oldest} starts, and creates a user from the command line, which finds the key by itself`, async (t) => {
    assert.equal((await run(node, ['--version'])).stdout, `v${oldest}\n`)
    assert.equal((await request(['--version'])).out, `${version}\n`)
    assert.match((await request(['--help'])).out, /users/)
    const env = { ROLLBOOK_PORT: String(await freePort()) }
    await serve(t, env)
    const created = await request(['users', 'create', 'ada', '--json'], env)
    assert.equal(created.code, 0, created.err)
    assert.equal(JSON.parse(created.out).username, 'ada')
    const listed = await request(['users', 'list', '--json'], env)
    assert.deepEqual(JSON.parse(listed.out), [JSON.parse(created.out)])
    const page = await fetch(`http://127.0.0.1:${env.ROLLBOOK_PORT}/auth/login`)
    assert.equal(page.status, 200)
    assert.ok(existsSync(join(installed, 'node_modules/.cache/rollbook')), 'what was compiled is not kept')
  })

  it('verifies a token from plain JavaScript', async (t) => {
    const issuer = await startIssuer(t)
    writeFileSync(
      join(project, 'main.js'),
      `import { RollbookClient } from 'rollbook/client'
      import { createVerifier, VerifyError } from 'rollbook/verify'
      import { guard } from 'rollbook/verify/fetch'
      ${libraries.map((subpath) => `await import('rollbook/${subpath}')`).join('\n')}
      const verifier = createVerifier({ issuer: process.argv[2], whenCut: 'open' })
      const handle = guard(verifier)('reports:read', (_request, caller) => Response.json(caller))
      const headers = { authorization: 'Bearer ' + process.argv[3] }
      const answer = await handle(new Request('http://localhost/reports', { headers }))
      const refused = await verifier.verify({ headers: {} }).catch((error) => error)
      const client = new RollbookClient({ url: process.argv[2], apiKey: process.argv[3] })
      console.log(JSON.stringify({
        user: (await answer.json()).user_id,
        refused: refused instanceof VerifyError,
        client: typeof client.users.list,
      }))`,
    )
    const { stdout, stderr } = await run(node, ['main.js', issuer.url, await issuer.token()], { cwd: project })
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), { user: 'user-1', refused: true, client: 'function' })
  })

  it(`on Node ${oldest} serves inside a program of plain JavaScript, whose process then ends`, async () => {
    writeFileSync(
      join(project, 'contains.js'),
      `import { createServer } from 'node:http'
      import { openRollbook, VerifyError } from 'rollbook/server'
      import * as verify from 'rollbook/verify'
      const key = 'k'.repeat(40)
      const rollbook = await openRollbook({
        ROLLBOOK_PUBLIC_URL: 'http://localhost:3000/auth',
        ROLLBOOK_DATA_DIR: 'contained',
        ROLLBOOK_ADMIN_KEY: key,
      })
      const server = createServer(rollbook.handler)
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const url = 'http://127.0.0.1:' + server.address().port + '/auth/'
      const created = await fetch(url + 'users', { method: 'POST', headers, body: '{"username":"ada"}' })
      const listed = await rollbook.fetch(url + 'users', { headers })
      const page = await fetch(url + 'console/')
      const refused = await rollbook.verify({ headers: {} }).catch((error) => error)
      const shown = [created.status, (await listed.json())[0].username, page.status, (await rollbook.verify(key)).kind]
      console.log(...shown, refused instanceof VerifyError, VerifyError === verify.VerifyError)
      server.close()
      await rollbook.close()
      server.closeAllConnections()`,
    )
    const { stdout, stderr } = await run(node, ['contains.js'], { cwd: project })
    assert.equal(stdout, '201 ada 200 api_key true true\n')
    // Node 24 calls its SQLite experimental.
    assert.doesNotMatch(stderr.replaceAll(/^.*(ExperimentalWarning: SQLite|--trace-warnings).*\n/gm, ''), /./)
  })

  it('keeps its internals private', async () => {
    const look = `await import('rollbook/verify/tokens.js')`
    await assert.rejects(
      run(process.execPath, ['--input-type=module', '-e', look], { cwd: project }),
      /ERR_PACKAGE_PATH_NOT_EXPORTED/,
    )
  })

  for (const [resolution, module] of [
    ['nodenext', 'nodenext'],
    ['bundler', 'preserve'],
  ] as const) {
    it(`has types that a strict TypeScript project can use, with the resolution ${resolution}`, async () => {
      for (const name of ['@types', 'undici-types', 'fastify', 'hono', 'express']) {
        if (!existsSync(join(modules, name))) symlinkSync(join(root, 'node_modules', name), join(modules, name))
      }
      writeFileSync(
        join(project, 'main.ts'),
        `import express from 'express'
        import Fastify from 'fastify'
        import { Hono } from 'hono'
        import { RollbookClient, RollbookError } from 'rollbook/client'
        import { openRollbook, type Rollbook } from 'rollbook/server'
        import { createVerifier, type Caller } from 'rollbook/verify'
        import { guard as express_ } from 'rollbook/verify/express'
        import { guard as fastify_ } from 'rollbook/verify/fastify'
        import { guard as fetch_ } from 'rollbook/verify/fetch'
        import { guard as hono_ } from 'rollbook/verify/hono'
        const verifier = createVerifier({ issuer: 'https://orchard.example.com/auth', key: 'rb_1' })
        const seen: Caller[] = []
        Fastify().get('/', { onRequest: fastify_(verifier)('a:b') }, (request) => seen.push(request.caller))
        express().get('/', express_(verifier)({ role: 'admin' }), (request) => void seen.push(request.caller))
        new Hono().get('/', hono_(verifier)(), (context) => context.json(context.get('caller').permissions))
        fetch_(verifier)('a:b', (_request, caller) => Response.json(caller.username satisfies string | undefined))
        // @ts-expect-error A permission is a text.
        fastify_(verifier)(7)
        // @ts-expect-error Nothing of a caller can be changed.
        seen[0]!.permissions.push('*')
        const rollbook: Rollbook = await openRollbook({ ...process.env, ROLLBOOK_BASE_PATH: '/auth' }, { log: process.stdout })
        await openRollbook(process.env)
        // @ts-expect-error Nothing has this name.
        await openRollbook({ ROLLBOOK_BASE_PAHT: '/auth' })
        // @ts-expect-error The listener is the program's.
        await openRollbook({ ROLLBOOK_PORT: '80' })
        seen.push(await rollbook.verify('rb_1', 'a:b'), await rollbook.verify(new Request('http://localhost')))
        express().use(rollbook.handler).get('/', express_(rollbook)())
        await Fastify().register(rollbook.fastify, { prefix: '/auth' })
        new Hono().all('/auth/*', (context) => rollbook.fetch(context.req.raw, { address: '127.0.0.1' }))
        new RollbookClient({ url: 'https://orchard.example.com/auth', apiKey: 'rb_1', fetch: rollbook.fetch })
        const client = new RollbookClient({ url: 'https://orchard.example.com/auth', apiKey: 'rb_1' })
        for await (const user of client.users.list({ role: 'admin' })) console.log(user.username satisfies string)
        // @ts-expect-error Nothing has this name.
        await client.users.create({ username: 'ada', colour: 'red' })
        export const taken = (error: unknown) => error instanceof RollbookError && error.code === 'username_taken'`,
      )
      const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2023', '--types', 'node']
      options.push('--module', module, '--moduleResolution', resolution, '--skipLibCheck')
      await run(process.execPath, [compiler, ...options, 'main.ts'], { cwd: project }).catch((error) =>
        assert.fail(error.stdout),
      )
    })
  }
})

function digestOf(file: string): string {
  return createHash('sha512').update(readFileSync(file)).digest('base64')
}

function lockOf(folder: string): Lock['packages'] {
  return readJson<Lock>(join(folder, 'npm-shrinkwrap.json')).packages
}

type Brought = { path: string; manifest: { name: string; version: string; license: string } }

/** What npm has laid down. */
function packagesIn(folder: string): Brought[] {
  const manifests = ['**/node_modules/*/package.json', '**/node_modules/@*/*/package.json']
  return globSync(manifests, { cwd: folder }).map((file) => ({
    path: dirname(file),
    manifest: readJson<Brought['manifest']>(join(folder, file)),
  }))
}
