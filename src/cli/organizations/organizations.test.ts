import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { adminKey } from '../../../test/harness.ts'
import { startPublisher } from '../../../test/name-server.ts'

describe('rollbook organizations', () => {
  it('creates, finds, changes and deletes organizations, and proves their domains', async (t) => {
    const directory = makeDirectory(t)
    const names = await startPublisher(t)
    const service = await startService(t, { directory, env: names.env })
    const env = { HOME: directory, ROLLBOOK_URL: service.url, ROLLBOOK_API_KEY: adminKey }
    const run = (...args: string[]) => runCommand(['organizations', ...args], env)
    const json = async (...args: string[]) => {
      const { code, out, err } = await run(...args, '--json')
      assert.equal(code, 0, err)
      return JSON.parse(out)
    }

    const trial = await run('create', 'Acme', '--dry-run')
    assert.deepEqual([trial.code, await json('list')], [0, []])
    const created = await json('create', 'Acme', '--external-id', 'crm-1', '--second-factor', 'required')
    assert.deepEqual([created.external_id, created.second_factor, created.domains], ['crm-1', 'required', []])
    assert.deepEqual(await json('get', 'acme'), created)
    assert.deepEqual(await json('get', created.organization_id), created)
    const changed = await json('update', 'Acme', '--name', 'Acme Inc.', '--disable', '--clear-second-factor')
    assert.deepEqual([changed.name, changed.active, changed.second_factor], ['Acme Inc.', false, null])
    assert.equal((await json('list', '--disabled', '--search', 'inc')).length, 1)
    assert.equal((await run('update', 'Acme Inc.')).code, 2)
    assert.equal((await json('update', 'Acme Inc.', '--enable')).active, true)

    const { code, out, err } = await run('domains', 'add', 'Acme Inc.', 'ACME.example')
    assert.deepEqual([code, /_rollbook\.acme\.example/.test(out)], [0, true])
    const [domain] = await json('domains', 'list', 'Acme Inc.')
    assert.ok(err.includes(domain.record_value), err)
    const early = await run('domains', 'verify', 'Acme Inc.', 'acme.example')
    assert.deepEqual([early.code, /no TXT record/.test(early.err)], [5, true], early.err)
    names.publish(domain.record_name, domain.record_value)
    assert.equal((await run('domains', 'verify', 'Acme Inc.', 'acme.example', '--dry-run')).code, 0)
    const verified = await json('domains', 'verify', 'Acme Inc.', 'acme.example')
    assert.notEqual(verified.verified_at, null)
    assert.notEqual((await json('domains', 'add', 'Acme Inc.', 'stated.example', '--verified')).verified_at, null)
    const unasked = await run('domains', 'remove', 'Acme Inc.', 'acme.example')
    assert.deepEqual([unasked.code, /Give --yes/.test(unasked.err)], [2, true])
    assert.equal((await json('domains', 'remove', 'Acme Inc.', 'acme.example', '--yes')).deleted, true)
    assert.equal((await run('domains', 'remove', 'Acme Inc.', 'acme.example', '--yes')).code, 3)
    assert.equal((await run('delete', 'Acme Inc.', '--yes')).code, 0)
    await json('create', 'Other')
    assert.equal((await runCommand(['users', 'create', 'ada', '--organization', 'Other'], env)).code, 0)
    assert.equal((await run('delete', 'Other', '--yes')).code, 5)
    const counted = await json('delete', 'Other', '--users', 'delete', '--dry-run')
    assert.deepEqual([counted.deleted, counted.user_count], [false, 1])
    const deleted = await json('delete', 'Other', '--users', 'delete', '--yes')
    assert.deepEqual([deleted.deleted, deleted.user_count], [true, 1])
    assert.deepEqual(await json('list'), [])
  })
})
