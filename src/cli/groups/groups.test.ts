import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'
import { adminKey } from '../../../test/harness.ts'

/** A service with users, and the command line of its administrator. */
async function startWith(t: TestContext, usernames: readonly string[]) {
  const directory = makeDirectory(t)
  const service = await startService(t, { directory })
  const ids = new Map<string, string>()
  for (const username of usernames) {
    const response = await service.call('POST', '/users', { username, email: `${username}@example.com` })
    assert.equal(response.status, 201)
    ids.set(username, ((await response.json()) as { user_id: string }).user_id)
  }
  const env = { HOME: directory, ROLLBOOK_URL: service.url, ROLLBOOK_API_KEY: adminKey }
  const run = (...args: string[]) => runCommand(['groups', ...args], env)
  /** Returns the JSON of a command that succeeds. */
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--json')
    assert.equal(code, 0, err)
    return JSON.parse(out)
  }
  return { directory, ids, run, json, env }
}

const namesOf = (users: { username: string }[]) => users.map(({ username }) => username)

describe('rollbook groups', () => {
  it('creates, finds, changes and deletes groups', async (t) => {
    const { run, json } = await startWith(t, [])
    const trial = await run('create', 'Support', '--role', 'admin', '--dry-run')
    assert.deepEqual([trial.code, await json('list')], [0, []])
    assert.match(trial.err, /Nothing was created/)

    const created = await json('create', 'Support', '--role', 'admin', '--description', 'Answers customers')
    await json('create', 'Sales', '--external-id', '00g1')
    assert.deepEqual([created.name, created.role, created.member_count], ['Support', 'admin', 0])
    assert.deepEqual(await json('get', 'SUPPORT'), created)
    assert.deepEqual(await json('get', created.group_id), created)
    const names = async (...args: string[]) =>
      (await json('list', ...args)).map((group: { name: string }) => group.name)
    assert.deepEqual(await names(), ['Sales', 'Support'])
    assert.deepEqual(await names('--sort', '-name'), ['Support', 'Sales'])
    assert.deepEqual(await names('--search', 'upp'), ['Support'])
    assert.deepEqual(await names('--role', 'admin'), ['Support'])

    const changed = await json('update', 'Support', '--name', 'Customer care', '--clear-role')
    assert.deepEqual([changed.name, changed.role, changed.description], ['Customer care', null, 'Answers customers'])
    const nothing = await run('update', 'Sales')
    assert.deepEqual([nothing.code, /nothing to change/.test(nothing.err)], [2, true])
    const taken = await run('create', 'sales')
    assert.equal(taken.code, 5, taken.err)

    assert.equal((await run('delete', 'Customer care', '--dry-run')).code, 0)
    const unasked = await run('delete', 'Customer care')
    assert.deepEqual([unasked.code, /Give --yes/.test(unasked.err)], [2, true])
    assert.deepEqual(await names(), ['Customer care', 'Sales'])
    const deletion = await json('delete', 'Customer care', '--yes')
    assert.deepEqual(deletion, { group_id: created.group_id, deleted: true })
    const deleted = await run('get', 'Customer care')
    assert.deepEqual(
      [deleted.code, deleted.err.trim()],
      [3, 'There is no group Customer care. rollbook groups list shows all.'],
    )
  })

  it('adds and removes members by name, by id and from a file', async (t) => {
    const people = ['ada', 'bob', 'cyd', 'dan']
    const { directory, ids, run, json, env } = await startWith(t, people)
    await json('create', 'Support')

    assert.deepEqual(await json('add', 'Support', 'ada'), [{ user: 'ada', user_id: ids.get('ada'), result: 'added' }])
    assert.deepEqual(namesOf(await json('members', 'Support')), ['ada'])
    assert.deepEqual(
      (await json('list', '--user', 'ada@example.com')).map((group: { name: string }) => group.name),
      ['Support'],
    )

    const dated = await run('add', 'Support', 'ada', '--expires', '2098-12-31')
    assert.match(dated.err, /0 users added, 1 with another end date, 0 unchanged/)
    const [member] = await json('members', 'Support')
    assert.equal(member.membership_expires_at, '2098-12-31T23:59:59.999Z')
    assert.equal((await json('add', 'Support', 'ada', '--clear-expires'))[0].result, 'changed')
    const unasked = await run('add', 'Support', 'bob', 'cyd')
    assert.deepEqual([unasked.code, /Give --yes/.test(unasked.err)], [2, true])
    const trial = await run('add', 'Support', 'ada', 'bob@example.com', 'nobody', '--dry-run', '--json')
    assert.equal(trial.code, 6)
    assert.deepEqual(
      JSON.parse(trial.out).map(({ user, result }: { user: string; result: string }) => `${user} ${result}`),
      ['nobody refused', 'ada unchanged', 'bob@example.com added'],
    )
    assert.match(trial.err, /1 user would be added, 1 unchanged, 1 refused/)
    assert.deepEqual(namesOf(await json('members', 'Support')), ['ada'])

    const file = join(directory, 'people.txt')
    writeFileSync(file, `${['bob', 'cyd', 'dan'].map((name) => ids.get(name)).join('\n')}\n`)
    assert.equal((await run('add', 'Support', '--from-file', file, '--by', 'id', '--yes')).code, 0)
    assert.deepEqual(namesOf(await json('members', 'Support')), people)
    assert.equal((await run('members', 'Support', '--count')).out, '4\n')
    assert.deepEqual(namesOf(await json('members', 'Support', '--search', 'cyd')), ['cyd'])

    const piped = await runCommand(['groups', 'remove', 'Support', '--from-file', '-', '--yes'], env, 'ada\ndan\n')
    assert.equal(piped.code, 0, piped.err)
    assert.deepEqual(namesOf(await json('members', 'Support')), ['bob', 'cyd'])
    assert.equal((await run('remove', 'Support')).code, 2)
    assert.equal((await run('add', 'Nowhere', 'ada')).code, 3)

    const bulk = (...args: string[]) => runCommand(['users', 'bulk', ...args], env)
    const saved = join(directory, 'changed.txt')
    const joined = await bulk('add-to-group', '--group', 'support', '--all', '--yes', '--save-changed', saved)
    assert.equal(joined.code, 0, joined.err)
    assert.match(joined.err, /added to Support, 2 unchanged/)
    const [, undo = ''] = /To undo it: rollbook users bulk (.*)/.exec(joined.err) ?? []
    assert.equal((await bulk(...undo.split(' '), '--yes')).code, 0)
    assert.deepEqual(namesOf(await json('members', 'Support')), ['bob', 'cyd'])
    const without = await bulk('add-to-group', '--all', '--yes')
    assert.deepEqual([without.code, without.err.trim().split('\n')[0]], [2, 'Give the group with --group.'])
    assert.equal((await bulk('disable', '--group', 'Support', '--all', '--yes')).code, 2)
  })

  it('are a condition of lists, exports and bulk changes, by name or id', async (t) => {
    const { ids, run, env } = await startWith(t, ['ada', 'bob', 'cyd'])
    assert.equal((await run('create', 'Support')).code, 0)
    assert.equal((await run('add', 'Support', 'ada', 'bob', '--yes')).code, 0)
    const users = (...args: string[]) => runCommand(['users', ...args], env)
    const listed = await users('list', '--in-group', 'support', '--json')
    assert.deepEqual(namesOf(JSON.parse(listed.out)), ['ada', 'bob'])
    assert.equal((await users('list', '--in-group', 'Support', '--search', 'bob', '--count')).out, '1\n')
    const unknown = await users('list', '--in-group', 'Sales')
    assert.deepEqual([unknown.code, unknown.out], [3, ''])
    assert.match(unknown.err, /There is no group Sales/)
    const exported = await users('export', '--in-group', 'Support', '--format', 'json')
    assert.deepEqual(namesOf(JSON.parse(exported.out)), ['ada', 'bob'])
    const disabled = await users('bulk', 'disable', '--in-group', 'Support', '--except', 'ada', '--yes')
    assert.equal(disabled.code, 0, disabled.err)
    assert.equal(
      (await users('list', '--disabled', '--output', 'csv', '--columns', 'user_id')).out,
      `user_id\r\n${ids.get('bob')}\r\n`,
    )
    const moved = await users('bulk', 'remove-from-group', '--group', 'Support', '--in-group', 'Support', '--yes')
    assert.match(moved.err, /2 removed from Support/)
    assert.equal((await users('bulk', 'restore', '--in-group', 'Support', '--yes')).code, 2)
  })
})
