import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { type Ended, runCommand } from '../../../test/command-process.ts'
import { makeDirectory, makePlace, type Place, startService } from '../../../test/durability/process.ts'
import { type Engine, engines } from '../../../test/harness.ts'

/** A service with records, and a command with the same configuration. */
async function startBeside(t: TestContext, engine: Engine) {
  const place = await makePlace(t, engine)
  const service = await startService(t, place)
  const create = async (username: string): Promise<string> => {
    const response = await service.call('POST', '/users', { username })
    assert.equal(response.status, 201)
    return ((await response.json()) as { user_id: string }).user_id
  }
  for (const name of ['ada', 'bob', 'carol']) await create(name)
  const audit = (...args: string[]) => beside(place, args)
  return { ...place, service, create, audit, checkpoint: join(place.directory, 'checkpoint.json') }
}

function beside({ directory, env }: Place, args: readonly string[]): Promise<Ended> {
  return runCommand(['audit', ...args], { ROLLBOOK_DATA_DIR: directory, ...env })
}

for (const engine of engines) {
  describe(`rollbook audit on ${engine.name}`, () => {
    it('verifies the store of a running service, and reports the first broken record with exit code 1', async (t) => {
      const { audit, service, runSql } = await startBeside(t, engine)
      await service.call('GET', '/audit') // All records are in the chain now.
      const good = await audit('verify')
      assert.equal(good.code, 0, good.err)
      assert.match(good.err, /^Verified [4-9] records in \d s\. No record was changed\.$/m)
      assert.match(good.out, /^\d+ [\da-f]{64}\n$/)
      const [row] = await runSql('SELECT record_id FROM audit_records WHERE seq = 3')
      await runSql("UPDATE audit_records SET action = 'user.deleted' WHERE seq = 3")
      const bad = await audit('verify')
      assert.deepEqual([bad.code, bad.out], [1, ''])
      assert.match(
        bad.err,
        new RegExp(`^The audit is broken at seq 3 \\(record ${row?.record_id}\\): its hash does not`),
      )
    })

    it('writes a checkpoint with which a removed end is found', async (t) => {
      const { audit, create, service, runSql, checkpoint } = await startBeside(t, engine)
      const response = await (await service.call('GET', '/audit/checkpoint')).json()
      const { created_at: _, ...expected } = response as Record<string, unknown>
      const created = await audit('checkpoint', checkpoint)
      assert.deepEqual([created.code, created.out], [0, ''], created.err)
      const stored = JSON.parse(readFileSync(checkpoint, 'utf8'))
      assert.deepEqual({ ...stored, created_at: undefined }, { ...expected, created_at: undefined })
      assert.equal(statSync(checkpoint).mode & 0o777, 0o600)
      assert.equal((await audit('checkpoint', checkpoint)).code, 1, 'it is not overwritten')
      assert.deepEqual(JSON.parse(readFileSync(checkpoint, 'utf8')), stored)

      await create('dave')
      await service.call('GET', '/audit')
      assert.equal((await audit('verify', '--checkpoint', checkpoint)).code, 0)
      await runSql(`DELETE FROM audit_records WHERE seq >= ${stored.seq}`)
      assert.equal((await audit('verify')).code, 0)
      const bad = await audit('verify', '--checkpoint', checkpoint)
      assert.deepEqual([bad.code, bad.out], [1, ''])
      assert.match(
        bad.err,
        new RegExp(`seq ${stored.seq} to ${stored.seq}, which the checkpoint of .* covers, are missing`),
      )
    })

    it('accepts only a checkpoint file as a checkpoint', async (t) => {
      const { audit, checkpoint } = await startBeside(t, engine)
      for (const text of ['', 'null', '{}', '{"seq":"1","hash":"x","created_at":"x"}']) {
        writeFileSync(checkpoint, text)
        const { code, err } = await audit('verify', '--checkpoint', checkpoint)
        assert.equal(code, 2, err)
        assert.match(err, /Give a file that rollbook audit checkpoint wrote\.\n$/)
      }
      assert.equal((await audit('verify', '--checkpoint', `${checkpoint}.not`)).code, 1)
    })

    it('exports the same records as the API, to standard output or to a file that only its owner can read', async (t) => {
      const { audit, service, directory } = await startBeside(t, engine)
      const headers = { accept: 'application/x-ndjson' }
      const expected = await (await service.call('GET', '/audit', undefined, headers)).text()
      const { code, out, err } = await audit('export')
      assert.deepEqual([code, out], [0, expected], err)
      assert.match(err, /^Exported [4-9] records\.$/m)
      const rest = await audit('export', '--after', '2')
      assert.equal(rest.out, expected.split('\n').slice(2).join('\n'))
      const file = join(directory, 'audit.ndjson')
      assert.equal((await audit('export', file)).code, 0)
      assert.equal(readFileSync(file, 'utf8'), expected)
      assert.equal(statSync(file).mode & 0o777, 0o600)
      const again = await audit('export', file)
      assert.equal(again.code, 1)
      assert.match(again.err, /already exists/)
      assert.equal((await audit('export', '--after', 'x')).code, 2)
      assert.deepEqual(
        readdirSync(directory).filter((name) => name.endsWith('.part')),
        [],
      )
    })
  })
}

describe('rollbook audit', () => {
  it('also works on the store of a stopped service, and on a copy of it', async (t) => {
    const { service, directory } = await startBeside(t, { name: 'SQLite' })
    await service.end('SIGTERM')
    const copy = join(directory, 'copy')
    mkdirSync(copy)
    const created = await runCommand(['backup', '--to', join(copy, 'rollbook.db'), '--data-dir', directory])
    assert.equal(created.code, 0, created.err)
    const [one, other] = [
      await runCommand(['audit', 'verify', '--data-dir', directory]),
      await runCommand(['audit', 'verify', '--data-dir', copy]),
    ]
    assert.deepEqual([one.code, other.code], [0, 0])
    assert.equal(one.out, other.out)
  })

  it('reports a missing store, and lists its subcommands', async (t) => {
    const directory = makeDirectory(t)
    for (const command of ['verify', 'checkpoint', 'export']) {
      const { code, out, err } = await runCommand(['audit', command, '--data-dir', directory])
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, /^There is no store: .*\n$/)
      assert.deepEqual(readdirSync(directory), [])
      const help = await runCommand(['audit', command, '--help'])
      assert.equal(help.code, 0)
      for (const line of help.out.split('\n')) assert.ok(line.length <= 80, line)
    }
    const { code, err } = await runCommand(['audit'])
    assert.equal(code, 2)
    assert.match(err, /verify .*\n.*checkpoint .*\n.*export /)
  })
})
