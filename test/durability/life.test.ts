/** A service as a process: belongs to npm test, where it stands for the tests of processes, which are in the rest. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { version } from '../../src/core/version.ts'
import { runCommand } from '../command-process.ts'
import { everyEngine } from '../harness.ts'
import { newestKeptBefore, unpackOldRelease } from '../upgrade/releases.ts'
import { check, integrityOf, Ledger, repeatCreations, writeAndKill } from './ledger.ts'
import { makeDirectory, makePlace, startService } from './process.ts'

const root = join(import.meta.dirname, '../..')

for (const engine of everyEngine) {
  describe(`the life of a service on ${engine.name}`, () => {
    it('begins in an empty store, survives a kill with all that it acknowledged, and ends at a signal', async (t) => {
      const place = await makePlace(t, engine, { migrates: true })
      const ledger = new Ledger()
      await writeAndKill(await startService(t, place), ledger, 1)
      if (engine.name === 'SQLite') assert.equal(integrityOf(place.directory), 'ok')
      const service = await startService(t, place)
      await check(service, ledger)
      await repeatCreations(service, ledger)
      await check(service, ledger)
      assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    })
  })
}

describe('a command', () => {
  it('administers the users of a service that runs, and exits with a code that says how it went', async (t) => {
    const { directory } = await makePlace(t, { name: 'SQLite' })
    const service = await startService(t, { directory })
    const env = { ROLLBOOK_URL: service.url, ROLLBOOK_API_KEY: 'the-key-of-the-tests-0123456789abcdef' }
    const created = await runCommand(['users', 'create', 'ada', '--json'], env)
    assert.equal(created.code, 0, created.err)
    const userOutput = await runCommand(['users', 'show', 'ada', '--json'], env)
    assert.deepEqual(JSON.parse(userOutput.out), JSON.parse(created.out))
    const twice = await runCommand(['users', 'create', 'ADA'], env)
    assert.notEqual(twice.code, 0)
    assert.match(twice.err, /already/)
  })
})

describe('an upgrade', () => {
  it('continues with the users and keys of the release before', async (t) => {
    const old = await unpackOldRelease(newestKeptBefore(version))
    t.after(old.remove)
    const directory = makeDirectory(t)
    const before = await startService(t, { directory, env: old.env, through: old.through })
    const created = await before.call('POST', '/users', { username: 'ada', password: 'nine zebras juggle oak hats' })
    const { user_id } = (await created.json()) as { user_id: string }
    const { key } = (await (await before.call('POST', '/keys', { name: 'a', permissions: ['users:read'] })).json()) as {
      key: string
    }
    await before.end('SIGTERM')
    const after = await startService(t, { directory })
    const read = await after.call('GET', `/users/${user_id}`, undefined, { 'x-api-key': key })
    const { username, attributes } = (await read.json()) as { username: string; attributes: object }
    assert.deepEqual([read.status, username, attributes], [200, 'ada', {}])
    const signedIn = await after.call('POST', '/sessions', { username: 'ada', password: 'nine zebras juggle oak hats' })
    assert.equal(signedIn.status, 201)
  })
})

describe('the package', () => {
  it('contains what the executable needs, and no test', async (t) => {
    const files = await packedFiles()
    assert.deepEqual(
      files.filter((file) => /\.test\./.test(file)),
      [],
    )
    const installed = copyOf(t, files)
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, [join(installed, 'bin/rollbook.js'), '--version'])
    assert.equal(stdout, `${version}\n`)
    const directory = makeDirectory(t)
    const through = ['sh', '-c', 'exec "$1" "$0"', join(installed, 'bin/rollbook.js')]
    const service = await startService(t, { directory, through })
    assert.equal((await service.call('POST', '/users', { username: 'ada' })).status, 201)
    for (const path of ['/docs', '/console/', '/login'])
      assert.equal((await service.call('GET', path)).status, 200, path)
  })
})

/** What npm would pack now, without the builds that only a release needs. */
async function packedFiles(): Promise<string[]> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 16 << 20 })
  const [packed] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[]
  return packed?.files.map(({ path }) => path) ?? []
}

function copyOf(t: TestContext, files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollbook-packed-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const file of files) cpSync(join(root, file), join(folder, file), { preserveTimestamps: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
