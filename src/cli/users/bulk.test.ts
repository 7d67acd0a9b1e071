import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWay } from '../../../test/client/unreliable.ts'
import { runCommand, startCommand } from '../../../test/command-process.ts'
import { adminKey, anyEngine, createUser, engines, type Started, start } from '../../../test/harness.ts'

const engine = anyEngine

type User = { user_id: string; username: string; role: string; active: boolean }

const envOf = (url: string) => ({ ROLLBOOK_URL: url, ROLLBOOK_API_KEY: adminKey })
const bulk = (env: Record<string, string>, ...args: string[]) => runCommand(['users', 'bulk', ...args], env)

async function usersOf(app: Started): Promise<User[]> {
  return (await app.call('GET', '/users?sort=username')).body
}

/** Returns the names of the active users. */
async function activeOnes(app: Started): Promise<string[]> {
  return (await usersOf(app)).filter(({ active }) => active).map(({ username }) => username)
}

async function addMany(app: Started, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => JSON.stringify({ username: `many-${n}` }))
  const headers = { 'content-type': 'application/x-ndjson' }
  const response = await app.call('POST', '/users/import', { headers, body: rows.join('\n') })
  assert.equal(response.body.created, count, response.text)
}

function fileWith(t: TestContext, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-bulk-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'users.txt')
  writeFileSync(file, text)
  return file
}

describe('rollbook users bulk', () => {
  it('shows first what would happen, and then changes the users who match', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    for (const username of ['intern.1', 'intern.2', 'ada']) await createUser(app, { username })
    const { user_id } = await createUser(app, { username: 'intern.3' })
    assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })).status, 200)

    const dry = await bulk(env, 'disable', '--search', 'intern', '--dry-run', '--rows', 'all', '--json')
    assert.equal(dry.code, 0, dry.err)
    assert.deepEqual(
      JSON.parse(dry.out).map(({ username, verdict }: Record<string, string>) => [username, verdict]),
      [
        ['intern.1', 'changed'],
        ['intern.2', 'changed'],
        ['intern.3', 'unchanged'],
      ],
    )
    assert.match(
      dry.err,
      /^Checked 3 users in \d+ s: 2 would be disabled, 1 unchanged, 0 refused\.\nNothing was changed\.\n$/,
    )
    assert.deepEqual(await activeOnes(app), ['ada', 'intern.1', 'intern.2'])

    const real = await bulk(env, 'disable', '--search', 'intern', '--yes', '--json')
    assert.deepEqual([real.code, real.out], [0, '[]\n'], real.err)
    assert.match(
      real.err,
      /^3 users: 2 would be disabled, 1 unchanged, 0 refused\.\nProcessed 3 users in \d+ s: 2 disabled, 1 unchanged, 0 refused\.\n$/,
    )
    assert.deepEqual(await activeOnes(app), ['ada'])
    const again = await bulk(env, 'disable', '--search', 'intern')
    assert.equal(again.code, 2)
    assert.equal(again.err, 'There is no terminal to ask on. Give --yes to confirm.\n')
  })

  it('lists refused users with the reason in every format, changes the others, and exits with 6', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const root = await createUser(app, { username: 'root', role: 'admin' })
    await createUser(app, { username: 'bob', email: 'bob@example.com' })
    const args = ['delete', '--from-file', fileWith(t, '\ufeffBOB@example.com\r\n\r\nnobody\r\n'), String(root.user_id)]
    const found = await bulk(env, ...args, '--dry-run', '--output', 'csv')
    assert.equal(found.code, 6, found.err)
    const lines = found.out.trimEnd().split('\r\n')
    assert.equal(lines[0], 'user_id,username,verdict,code,detail')
    assert.equal(lines[1], ',nobody,refused,user_not_found,There is no such user.')
    assert.match(lines[2] as string, new RegExp(`^${root.user_id},root,refused,last_admin,`))
    assert.equal(lines.length, 3)
    assert.match(found.err, /Nothing was changed\.\n2 users would be refused\.\n$/)

    const real = await bulk(env, ...args, '--yes', '--output', 'ndjson', '--columns', 'username,code')
    assert.equal(real.code, 6)
    assert.equal(real.out, '{"username":"nobody","code":"user_not_found"}\n{"username":"root","code":"last_admin"}\n')
    assert.match(real.err, /^ {2}last_admin, for example root: /m)
    assert.match(real.err, /: 1 deleted, 0 unchanged, 2 refused\.\n2 users were refused\.\n$/)
    const table = await bulk(env, 'restore', 'bob', 'nobody', '--yes')
    assert.equal(table.code, 6)
    assert.match(table.out, /^USER_ID +USERNAME +VERDICT +CODE +DETAIL\n +nobody +refused +user_not_found +There/)
    assert.deepEqual(
      (await usersOf(app)).map(({ username }) => username),
      ['bob', 'root'],
    )
  })

  it('changes --role to --to, leaves out --except, and finds names by --by', async (t) => {
    const app = await start(t, engine, { env: { ROLLBOOK_ROLES: '{"support":["users:read"]}' } })
    const env = envOf(await app.listen())
    for (const username of ['ada', 'bob', 'eve']) await createUser(app, { username, external_id: `hr-${username}` })
    const roles = async () => (await usersOf(app)).map(({ role }) => role)
    const outcome = await bulk(env, 'set-role', '--to', 'support', '--role', 'user', '--except', 'bob', '--yes')
    assert.equal(outcome.code, 0, outcome.err)
    assert.deepEqual(await roles(), ['support', 'user', 'support'])
    const spared = await bulk(env, 'set-role', '--to', 'support', '--all', '--except', 'bbo', '--yes')
    assert.deepEqual([spared.code, spared.err], [3, 'There is no user bbo. rollbook users list shows all.\n'])
    const args = ['users', 'bulk', 'set-role', '--to', 'user', '--by', 'external-id', '--from-file', '-', '--yes']
    assert.equal((await runCommand(args, env, 'hr-ada\nhr-eve\n')).code, 0)
    assert.deepEqual(await roles(), ['user', 'user', 'user'])
  })

  it('accepts more users than one request can name', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    await addMany(app, 1001)
    const ids = (await usersOf(app)).map(({ user_id }) => user_id)
    const { code, err } = await bulk(env, 'disable', '--from-file', fileWith(t, ids.join('\n')), '--yes')
    assert.equal(code, 0, err)
    assert.match(err, /: 1,001 disabled, 0 unchanged, 0 refused\.\n$/)
    assert.deepEqual(await activeOnes(app), [])
  })

  it('undoes a change of exactly the users it has changed', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    for (const username of ['intern.1', 'intern.2', 'ada']) await createUser(app, { username })
    const { user_id } = await createUser(app, { username: 'intern.3' })
    await app.call('PATCH', `/users/${user_id}`, { body: { active: false } })
    const file = join(dirname(fileWith(t, '')), 'it was.txt')
    const args = ['disable', '--search', 'intern', '--save-changed', file, '--yes', '--json']
    assert.equal((await bulk(env, ...args, '--dry-run')).code, 0)
    assert.equal(existsSync(file), false)
    const done = await bulk(env, ...args)
    assert.deepEqual([done.code, done.out], [0, '[]\n'], done.err)
    const undoHint = `To undo it: rollbook users bulk enable --from-file '${file}' --by id\n`
    assert.ok(done.err.endsWith(undoHint), done.err)
    assert.deepEqual(await activeOnes(app), ['ada'])
    const again = await bulk(env, 'enable', '--search', 'intern', '--save-changed', file, '--yes')
    assert.deepEqual([again.code, await activeOnes(app)], [2, ['ada']])
    assert.match(again.err, /exists\. Give another file/)
    const undone = await bulk(env, 'enable', '--from-file', file, '--by', 'id', '--yes')
    assert.equal(undone.code, 0, undone.err)
    assert.deepEqual(await activeOnes(app), ['ada', 'intern.1', 'intern.2'])
  })

  it('sets and removes values of attributes and the language, and an import undoes it', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    for (const attribute of [
      { name: 'seats', type: 'number' },
      { name: 'tags', type: 'string[]' },
      { name: 'desk', type: 'string' },
    ])
      assert.equal((await app.call('POST', '/attributes', { body: attribute })).status, 201)
    await createUser(app, { username: 'ada', attributes: { desk: 'B 2' }, locale: 'en' } as never)
    await createUser(app, { username: 'bob' })
    const values = async () =>
      (await app.call('GET', '/users?sort=username')).body.map(({ attributes, locale }: Record<string, unknown>) => [
        attributes,
        locale,
      ])
    const before = await values()
    const directory = dirname(fileWith(t, ''))
    const [file, languages] = [join(directory, 'before.txt'), join(directory, 'languages.txt')]
    const set = ['--set', 'seats=3', '--set', 'tags=a;b', '--unset', 'desk', '--all', '--yes', '--save-changed', file]
    const done = await bulk(env, 'set-attribute', ...set)
    assert.equal(done.code, 0, done.err)
    const undo = ['users', 'import', file, '--format', 'ndjson', '--update', '--match', 'user_id']
    assert.ok(done.err.endsWith(`To undo it: rollbook ${undo.join(' ')}\n`), done.err)
    const german = await bulk(env, 'set-locale', '--to', 'de', '--all', '--yes', '--save-changed', languages)
    assert.equal(german.code, 0, german.err)
    const after = [{ seats: 3, tags: ['a', 'b'] }, 'de']
    assert.deepEqual(await values(), [after, after])
    for (const one of [file, languages]) {
      const undone = await runCommand(undo.with(2, one), env)
      assert.equal(undone.code, 0, undone.err)
    }
    assert.deepEqual(await values(), before)
    const none = await bulk(env, 'set-locale', '--to', 'none', 'ada', '--yes', '--json')
    assert.deepEqual([none.code, (await values())[0][1]], [0, undefined], none.err)
    for (const args of [['set-attribute'], ['set-locale'], ['set-attribute', '--set', 'seats=many']])
      assert.equal((await bulk(env, ...args, '--all', '--yes')).code, args.length === 1 ? 2 : 1, args.join(' '))
  })

  it('restores the deleted users who match, except some', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    for (const username of ['old.1', 'old.2', 'old.3', 'other']) {
      const { user_id } = await createUser(app, { username })
      await app.call('DELETE', `/users/${user_id}`)
    }
    const counted = await runCommand(['users', 'deleted', '--search', 'old', '--count'], env)
    assert.equal(counted.out, '3\n', counted.err)
    const sorted = await runCommand(['users', 'deleted', '--sort', 'username', '--json', 'username'], env)
    assert.deepEqual(
      JSON.parse(sorted.out).map(({ username }: User) => username),
      ['old.1', 'old.2', 'old.3', 'other'],
    )
    const { code, err } = await bulk(env, 'restore', '--search', 'old', '--except', 'old.2', '--yes')
    assert.equal(code, 0, err)
    assert.match(err, /: 2 restored, 0 unchanged, 0 refused\.\n$/)
    assert.deepEqual(await activeOnes(app), ['old.1', 'old.3'])
    const one = await runCommand(['users', 'restore', 'OLD.2', '--json'], env)
    assert.equal(one.code, 0, one.err)
  })

  it('changes no user if the selection is unclear', async () => {
    const env = envOf('http://127.0.0.1:9/auth')
    const cases: [string[], RegExp][] = [
      [['delete'], /^Give users, --from-file, conditions/],
      [['delete', '--all', '--inactive'], /^--all means all users, /],
      [['delete', 'ada', '--inactive'], /not both\.$/m],
      [['delete', 'ada', '--all'], /not both\.$/m],
      [['delete', '--except', 'ada'], /^Give users, --from-file, conditions/],
      [['restore', '--disabled'], /^To restore, use only --search, --role, --deleted-after and --deleted-before /],
      [['set-role', '--role', 'admin', 'ada'], /^Give the new role with --to\. --role filters/],
      [
        ['delete', 'ada', '--to', 'admin'],
        /^--to is only for set-role, set-locale, set-end-date, set-organization and add-to-group\.$/m,
      ],
      [['delete', 'ada', '--unset', 'desk'], /^--set and --unset are only for set-attribute\.$/m],
      [['delete', 'ada', '--by', 'id'], /^ada is not the id of a user\.$/m],
    ]
    const found = await Promise.all(cases.map(([args]) => bulk(env, ...args, '--yes')))
    for (const [index, [args, expected]] of cases.entries()) {
      assert.equal(found[index]?.code, 2, args.join(' '))
      assert.match(found[index]?.err ?? '', expected)
    }
    const piped = await bulk(env, 'delete', '--from-file', '-')
    assert.deepEqual([piped.code, piped.out], [2, ''])
  })

  it('continues if the reader of its rows leaves', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    await addMany(app, 3000)
    const { child, outcome: ended } = startCommand(['users', 'bulk', 'disable', '--all', '--rows', 'all', '--yes'], env)
    child.stdout?.once('data', () => child.stdout?.destroy())
    const exited = once(child, 'exit')
    await assert.rejects(ended, { code: 'ERR_STREAM_PREMATURE_CLOSE' })
    assert.deepEqual(await exited, [0, null])
    assert.deepEqual(await activeOnes(app), [])
  })

  it('exits with 7 and prints the command for the rest if the response is cut off', async (t) => {
    const app = await start(t, engine)
    const way = await startWay(t, await app.listen())
    await addMany(app, 300)
    way.fate = ({ path }) => (path.includes('dry_run') ? 'pass' : { cutAfter: 30 })
    const args = ['disable', '--search', 'many-', '--yes']
    const cut = await bulk(envOf(way.url), ...args)
    assert.equal(cut.code, 7, cut.err)
    assert.match(cut.err, /\nInterrupted before all of 300 users were processed\. .* These changes stay\.\n/)
    assert.match(cut.err, /\nTo do the rest, run:\n {2}rollbook users bulk disable --search many- --yes\n/)
  })
})

for (const one of engines) {
  describe(`an interrupted bulk change on ${one.name}`, () => {
    it('stops, reports what is done, and the same command does the rest', async (t) => {
      const app = await start(t, one)
      const env = envOf(await app.listen())
      await addMany(app, 6000)
      const args = ['users', 'bulk', 'disable', '--all', '--yes']
      const { child, outcome: ended } = startCommand(args, env)
      while ((await app.call('GET', '/users?active=false&limit=1')).body.length === 0) await sleep(5)
      child.kill('SIGINT')
      const { code, err } = await ended
      assert.equal(code, 130, err)
      assert.match(
        err,
        /\nInterrupted before all of 6,000 users were processed\. So far: [\d,]+ disabled, 0 unchanged, 0 refused\. /,
      )
      assert.ok(err.includes(`\nTo do the rest, run:\n  rollbook ${args.join(' ')}\n`), err)
      assert.ok((await activeOnes(app)).length > 0)
      const rest = await runCommand(args, env)
      assert.equal(rest.code, 0, rest.err)
      assert.match(rest.err, /, 0 refused\.\n$/)
      assert.deepEqual(await activeOnes(app), [])
    })
  })
}
