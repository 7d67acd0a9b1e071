import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { startIssuer } from './issuer.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const subpaths = ['verify', 'verify/fastify', 'verify/express', 'verify/hono', 'verify/fetch']

describe('the package, as it is installed', () => {
  const project = mkdtempSync(join(tmpdir(), 'rollbook-package-'))
  const modules = join(project, 'node_modules')
  const installed = join(modules, 'rollbook')

  before(async () => {
    mkdirSync(installed, { recursive: true })
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: root })
    // npm 12 answers an object, the ones before a list.
    const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]$/m)))) as { filename: string }[]
    await run('tar', ['-xzf', join(project, packed?.filename as string), '-C', installed, '--strip-components=1'])
    symlinkSync(join(root, 'node_modules/jose'), join(modules, 'jose'))
    writeFileSync(join(project, 'package.json'), '{"type": "module"}')
  })
  after(() => rmSync(project, { recursive: true }))

  it('holds plain JavaScript and types for each subpath, and no tests', () => {
    for (const subpath of [...subpaths, 'verify/index']) {
      const file = subpath === 'verify' ? 'verify/index' : subpath
      for (const extension of ['js', 'd.ts']) assert.ok(existsSync(join(installed, `dist/${file}.${extension}`)), file)
    }
    assert.deepEqual(globSync('{src,dist}/**/*.test.*', { cwd: installed }), [])
    assert.ok(existsSync(join(installed, 'bin/rollbook.js')))
  })

  it('leaves no build in the checkout, where it would go stale', () => {
    assert.equal(existsSync(join(root, 'dist')), false)
  })

  it('verifies a token from plain JavaScript, with nothing beside it but jose', async (t) => {
    const issuer = await startIssuer(t)
    writeFileSync(
      join(project, 'main.js'),
      `import { createVerifier, VerifyError } from 'rollbook/verify'
      import { guard } from 'rollbook/verify/fetch'
      ${subpaths.map((subpath) => `await import('rollbook/${subpath}')`).join('\n')}
      const verifier = createVerifier({ issuer: process.argv[2], whenCut: 'open' })
      const handle = guard(verifier)('reports:read', (_request, caller) => Response.json(caller))
      const headers = { authorization: 'Bearer ' + process.argv[3] }
      const answer = await handle(new Request('http://localhost/reports', { headers }))
      const refused = await verifier.verify({ headers: {} }).catch((error) => error)
      console.log(JSON.stringify({ user: (await answer.json()).user_id, refused: refused instanceof VerifyError }))`,
    )
    const { stdout, stderr } = await run(process.execPath, ['main.js', issuer.url, await issuer.token()], {
      cwd: project,
    })
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), { user: 'user-1', refused: true })
  })

  it('keeps its insides to itself', async () => {
    const look = `await import('rollbook/verify/tokens.js')`
    await assert.rejects(
      run(process.execPath, ['--input-type=module', '-e', look], { cwd: project }),
      /ERR_PACKAGE_PATH_NOT_EXPORTED/,
    )
  })

  it('has types that a strict TypeScript project can use', async () => {
    for (const name of ['@types', 'undici-types', 'fastify', 'hono', 'express']) {
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
    }
    writeFileSync(
      join(project, 'main.ts'),
      `import express from 'express'
      import Fastify from 'fastify'
      import { Hono } from 'hono'
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
      seen[0]!.permissions.push('*')`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2023',
    ]
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, ...options, '--types', 'node', '--skipLibCheck', 'main.ts'], {
      cwd: project,
    }).catch((error) => assert.fail(error.stdout))
  })
})
