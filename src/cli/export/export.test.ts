import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readSheet } from 'read-excel-file/universal'
import { startWay } from '../../../test/client/unreliable.ts'
import { type Ended, runCommand, startCommand } from '../../../test/command-process.ts'
import { personWithPhone } from '../../../test/factors.ts'
import { adminKey, anyEngine, createUser, type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, password, signIn } from '../../../test/people.ts'
import { fillWithLargeUsers } from '../../../test/reading.ts'
import { rowCounter } from './count-rows.ts'

const executable = fileURLToPath(new URL('../../../bin/rollbook.js', import.meta.url))

const engine = anyEngine

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'rollbook-export-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const envOf = (url: string, key = adminKey) => ({ ROLLBOOK_URL: url, ROLLBOOK_API_KEY: key })
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

function succeeded(closed: Ended): Ended {
  assert.equal(closed.code, 0, closed.err)
  return closed
}

describe('rollbook users export', () => {
  it("writes the API's data in each format to a file that only its owner can read, and prints the digest", async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    for (const first_name of ['Ada', '=1+1', '{"user_id":"', 'a, "b"']) await createPerson(app, { first_name })
    const directory = folder(t)
    const types = { 'users.ndjson': 'application/x-ndjson', 'users.json': 'application/json', 'users.csv': 'text/csv' }
    for (const [name, accept] of Object.entries(types)) {
      const file = join(directory, name)
      const { out, err } = succeeded(await runCommand(['users', 'export', file], env))
      const written = readFileSync(file)
      assert.equal(written.toString(), (await app.call('GET', '/users?include=groups', { headers: { accept } })).text)
      assert.equal(out, `${sha256(written)}  ${file}\n`)
      assert.match(err, /^Exported 4 users, \d kB, in \d+ s\.$/m)
      assert.equal(statSync(file).mode & 0o777, 0o600)
    }
    assert.deepEqual(readdirSync(directory).toSorted(), Object.keys(types).toSorted())
  })

  it('writes an Excel file, which an import takes back, and none that is cut', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    for (const first_name of ['=1+1', '007']) await createPerson(app, { first_name })
    const file = join(folder(t), 'users.xlsx')
    const { err } = succeeded(await runCommand(['users', 'export', file], env))
    assert.match(err, /^Exported 2 users, \d kB, in \d+ s\.$/m)
    const [header = [], ...rows] = await readSheet(new Blob([readFileSync(file)]))
    assert.deepEqual(rows.map((row) => row[header.indexOf('first_name')]).toSorted(), ['007', '=1+1'])
    assert.equal(header.at(-1), 'effective_roles')
    const again = succeeded(await runCommand(['users', 'import', file, '--update', '--json'], env))
    assert.equal(JSON.parse(again.out).unchanged, 2)
  })

  it('writes to standard output with the filters of the list, and prints count and digest to standard error', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    await createUser(app, { username: 'ada', role: 'admin' })
    await createUser(app, { username: 'grace' })
    const { out, err } = succeeded(await runCommand(['users', 'export', '--role', 'admin', '--compress'], env))
    assert.equal(
      out,
      (await app.call('GET', '/users?role=admin&include=groups', { headers: { accept: 'application/x-ndjson' } })).text,
    )
    assert.match(err, new RegExp(`^Exported 1 user, 1 kB, in .*\nSHA-256: ${sha256(out)}\n$`))
    const nobody = await runCommand(['users', 'export', '--search', 'nobody', '--format', 'json'], env)
    assert.equal(succeeded(nobody).out, '[]')
  })

  it('replaces a file only with --overwrite', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const file = join(folder(t), 'users.ndjson')
    writeFileSync(file, 'mine')
    const refused = await runCommand(['users', 'export', file], env)
    assert.deepEqual([refused.code, refused.out, readFileSync(file, 'utf8')], [1, '', 'mine'])
    succeeded(await runCommand(['users', 'export', file, '--overwrite'], env))
    assert.equal(readFileSync(file, 'utf8'), '')
  })

  it('reports an export that was cut off anywhere, and leaves no file', async (t) => {
    const app = await start(t, engine)
    await fillWithLargeUsers(engine, app.runSql)
    const way = await startWay(t, await app.listen())
    const directory = folder(t)
    const file = join(directory, 'users.ndjson')
    const { text } = await app.call('GET', '/users', { headers: { accept: 'application/x-ndjson' } })
    const afterLine = text.indexOf('\n', 1_000_000) + 1
    const closed = { status: 200, headers: { 'content-type': 'application/x-ndjson', 'total-count': '5000' } }
    for (const fate of [{ cutAfter: 3_000_000 }, { ...closed, body: text.slice(0, afterLine) }] as const) {
      way.fate = () => fate
      const { code, out, err } = await runCommand(['users', 'export', file], envOf(way.url))
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, /The export was cut off after [\d,]+ of 5,000 users\. .*users\.ndjson was not written\.\n$/)
      assert.deepEqual(readdirSync(directory), [])
    }
  })

  it('reports a missing directory, and writes the digest in the format of sha256sum', async (t) => {
    const app = await start(t, engine)
    const env = envOf(await app.listen())
    const directory = folder(t)
    const nowhere = await runCommand(['users', 'export', join(directory, 'none', 'users.csv')], env)
    assert.equal(nowhere.code, 2)
    assert.match(nowhere.err, /users\.csv cannot be written: there is no such directory\.\n$/)
    const odd = join(directory, 'two\nlines\\.csv')
    const { out } = succeeded(await runCommand(['users', 'export', odd], env))
    const checked = spawnSync('sha256sum', ['--check', '--strict'], { input: out, encoding: 'utf8' })
    assert.equal(checked.status, 0, checked.stderr)
  })

  it('is incomplete if its reader leaves early', async (t) => {
    const app = await start(t, engine)
    await fillWithLargeUsers(engine, app.runSql)
    const child = spawn(process.execPath, [executable, 'users', 'export'], { env: envOf(await app.listen()) })
    child.stdout.once('data', () => child.stdout.destroy())
    const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr)])
    assert.equal(code, 1)
    assert.match(
      err,
      /^The export was cut off after [\d,]+ of 5,000 users\. The data on standard output is incomplete\.$/m,
    )
  })

  it('leaves no file when it is interrupted', async (t) => {
    const app = await start(t, engine)
    await fillWithLargeUsers(engine, app.runSql)
    const way = await startWay(t, await app.listen())
    way.fate = () => ({ holdAfter: 1_000_000 })
    const directory = folder(t)
    const { child, outcome: ended } = startCommand(['users', 'export', join(directory, 'users.ndjson')], envOf(way.url))
    while (readdirSync(directory).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill('SIGINT')
    assert.equal((await ended).code, 130)
    assert.deepEqual(readdirSync(directory), [])
  })

  it('gives password hashes only with the permission, and only encrypted', async (t) => {
    const app = await start(t, engine)
    const url = await app.listen()
    const directory = folder(t)
    const [file, secret] = [join(directory, 'users.ndjson.age'), join(directory, 'passphrase')]
    writeFileSync(secret, 'opened by few people only\n')
    const { key } = (await app.call('POST', '/keys', { body: { name: 'reader', permissions: ['users:read'] } })).body
    const args = ['users', 'export', file, '--with-password-hashes']
    const refused = await runCommand([...args, '--passphrase-file', secret], envOf(url, key))
    assert.deepEqual([refused.code, readdirSync(directory)], [4, ['passphrase']])
    const unasked = await runCommand(args, envOf(url))
    assert.deepEqual([unasked.code, unasked.err], [2, 'There is no terminal to ask on. Give --passphrase-file.\n'])
  })
})

describe('the count of users in a list', () => {
  it('is right for every split into chunks', () => {
    const rows = ['a', '{"user_id":"', '\\"', '\\'].map((name, n) =>
      JSON.stringify({ user_id: `${n}`, username: name }),
    )
    for (const [format, text] of [
      ['ndjson', rows.map((row) => `${row}\n`).join('')],
      ['json', `[${rows.join(',')}]`],
      ['csv', `user_id\r\n${rows.map((_, n) => `${n}\r\n`).join('')}`],
    ] as const) {
      for (let size = 1; size < 40; size++) {
        const counter = rowCounter(format)
        for (let at = 0; at < text.length; at += size) counter.add(Buffer.from(text).subarray(at, at + size))
        assert.deepEqual([counter.count, counter.isWhole()], [4, true], `${format} by ${size}`)
      }
      const cut = rowCounter(format)
      cut.add(Buffer.from(text.slice(0, -1)))
      assert.equal(cut.isWhole(), false)
    }
  })
})

async function peopled(t: TestContext, one: Engine): Promise<Started> {
  const app = await start(t, one)
  const ada = await createPerson(app, {
    username: 'Ada',
    email: 'Ada@example.com',
    first_name: '=Ada',
    external_id: '+1',
  })
  await createUser(app, { username: '+49.170', last_name: 'a, "b"', role: 'admin' })
  const temporary = await createUser(app, { username: 'temporary' })
  await app.call('PATCH', `/users/${ada.user_id}`, { body: { last_name: 'Lovelace' } })
  const set = { password: 'a moth in relay seventy', must_change: true }
  await app.call('POST', `/users/${temporary.user_id}/password`, { body: set })
  await app.call('PATCH', `/users/${temporary.user_id}`, { body: { active: false } })
  assert.equal((await signIn(app, 'ada')).status, 201)
  return app
}
const rowsOf = (app: Started) =>
  app.runSql('SELECT user_id, document, password_hash, must_change_password FROM users ORDER BY user_id')

for (const one of engines) {
  describe(`importing an export into an empty store on ${one.name}`, () => {
    it('creates the same users, with the same ids, times, passwords and one-time codes', async (t) => {
      const [from, to] = [await peopled(t, one), await start(t, one)]
      const { user_id, phone } = await personWithPhone(from, Date.now())
      const directory = folder(t)
      const [file, secret] = [join(directory, 'users.ndjson.age'), join(directory, 'passphrase')]
      writeFileSync(secret, 'opened by few people only\n')
      const args = [file, '--passphrase-file', secret]
      const source = envOf(await from.listen())
      const exported = await runCommand(['users', 'export', '--with-password-hashes', ...args], source)
      assert.match(succeeded(exported).err, /^Exported 4 users with their password hashes and one-time codes, /m)
      const env = envOf(await to.listen())
      succeeded(await runCommand(['users', 'import', ...args], env))
      assert.deepEqual(await rowsOf(to), await rowsOf(from))
      assert.equal((await signIn(to, 'ada', password)).status, 201)
      const factors = 'SELECT user_id, name, secret FROM factors'
      assert.deepEqual(await to.runSql(factors), [{ user_id, name: 'phone', secret: phone.secret }])

      const bare = join(directory, 'bare.ndjson.age')
      const left = ['users', 'export', '--with-password-hashes', '--no-factors', '--json', '--passphrase-file', secret]
      const { out } = succeeded(await runCommand([...left, bare], source))
      assert.equal(JSON.parse(out).with_second_factors, false)
      succeeded(await runCommand(['users', 'import', bare, '--passphrase-file', secret, '--update'], env))
      assert.equal((await to.runSql(factors)).length, 1, 'a factor stays')
    })
  })
}

describe('an export of users in groups', () => {
  it('names the groups, unless the key may not see them, and can be imported where they exist', async (t) => {
    const from = await start(t, engine)
    const { user_id } = await createUser(from, { username: 'ada' })
    const { body: group } = await from.call('POST', '/groups', { body: { name: 'North; South' } })
    await from.call('PUT', `/groups/${group.group_id}/members/${user_id}`)
    const url = await from.listen()
    const directory = folder(t)
    const file = join(directory, 'users.csv')
    succeeded(await runCommand(['users', 'export', file], envOf(url)))
    assert.match(readFileSync(file, 'utf8'), /,groups,effective_roles\r\n.*,"""North; South""",user\r\n$/)

    const to = await start(t, engine)
    const env = envOf(await to.listen())
    const refused = await runCommand(['users', 'import', file, '--rejects', join(directory, 'rejects.csv')], env)
    assert.equal(refused.code, 6)
    assert.match(
      refused.err,
      /group_unknown: line 2: Group 1 of this row does not exist\..* \(groups: "North; South"\)/,
    )
    await to.call('POST', '/groups', { body: { name: 'North; South' } })
    succeeded(await runCommand(['users', 'import', file], env))
    assert.equal((await to.call('GET', '/groups')).body[0].member_count, 1)

    const permissions = ['users:read']
    const { key } = (await from.call('POST', '/keys', { body: { name: 'reader', permissions } })).body
    const without = await runCommand(['users', 'export', '--format', 'csv'], envOf(url, key))
    assert.match(succeeded(without).err, /^The export has no groups: the key lacks the permission groups:read\.$/m)
    assert.doesNotMatch(without.out, /groups/)
  })
})

const everyType = [
  { name: 'note', type: 'string' },
  { name: 'seats', type: 'number' },
  { name: 'remote', type: 'boolean' },
  { name: 'entry', type: 'date' },
  { name: 'checked', type: 'datetime' },
  { name: 'site', type: 'url' },
  { name: 'size', type: 'enum', options: ['=S, "small"; 1', 'M'] },
  { name: 'tags', type: 'string[]' },
  { name: 'badge', type: 'string', editable_by: 'user' },
]

/** What a spreadsheet, a separator or a reader of cells could take for something else. */
const oddValues = [
  { note: 'a, "b"; c', seats: -0.5, remote: false, entry: '2024-02-29', checked: '2026-11-24T09:30:00.123Z' },
  { note: '=1+1', seats: 1e21, site: 'https://example.com/?a=1,2;3', size: '=S, "small"; 1', tags: ['a;b', '[c]'] },
  { note: "'=x", tags: ['"quoted"', ' padded ', '-5'] },
  { note: ' padded ', seats: 0, tags: ['single'] },
  { note: 'true', tags: ['1'], badge: '007' },
  { note: '-5', tags: [], badge: 'null' },
  { note: '[]', tags: ['null', 'a, b'] },
]

describe('importing an export without passwords into an empty store', () => {
  it('creates the same users, from each format', async (t) => {
    const from = await peopled(t, engine)
    const env = envOf(await from.listen())
    const directory = folder(t)
    for (const body of everyType) assert.equal((await from.call('POST', '/attributes', { body })).status, 201)
    for (const [n, attributes] of oddValues.entries())
      await createUser(from, { username: `odd.${n}`, attributes } as never)
    const expected = (await from.call('GET', '/users')).body.map((user: object) => ({ ...user, has_password: false }))
    for (const format of ['ndjson', 'json', 'csv']) {
      const file = join(directory, `users.${format}`)
      succeeded(await runCommand(['users', 'export', file], env))
      const to = await start(t, engine)
      for (const body of everyType) assert.equal((await to.call('POST', '/attributes', { body })).status, 201)
      succeeded(await runCommand(['users', 'import', file], envOf(await to.listen())))
      assert.deepEqual((await to.call('GET', '/users')).body, expected, format)
    }
  })
})
