import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { executable, killedBefore, runCommand, startCommand } from '../../../test/command-process.ts'
import { makeDirectory, type Service, startService } from '../../../test/durability/process.ts'
import { codeOf } from '../../../test/factors.ts'
import { recoveryCodeHash } from '../../access/credentials/factors/recovery-codes.ts'
import type { User } from '../../directory/users/schema.ts'

const usernames = async (service: Service): Promise<string[]> => {
  const users = (await (await service.call('GET', '/users')).json()) as { username: string }[]
  return users.map(({ username }) => username)
}

async function serving(t: TestContext, directory: string, names: readonly string[]): Promise<Service> {
  const service = await startService(t, { directory })
  for (const username of names) assert.equal((await service.call('POST', '/users', { username })).status, 201)
  return service
}

/** A backup of a store with these users. */
async function backupWith(t: TestContext, names: readonly string[]): Promise<string> {
  const directory = makeDirectory(t)
  const file = join(makeDirectory(t), 'backup.db')
  await (await serving(t, directory, names)).end('SIGTERM')
  assert.equal((await runCommand(['backup', '--data-dir', directory, '--to', file])).code, 0)
  return file
}

const names = (path: string): unknown[] => {
  const database = new DatabaseSync(path)
  try {
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
    return database
      .prepare('SELECT username FROM users ORDER BY user_id')
      .all()
      .map(({ username }) => username)
  } finally {
    database.close()
  }
}

describe('rollbook restore', () => {
  it('restores users, groups, passwords, keys, stored responses and the search', async (t) => {
    const directory = makeDirectory(t)
    const file = join(makeDirectory(t), 'backup.db')
    const service = await startService(t, { directory })
    const create = (at: Service) =>
      at.call('POST', '/users', { username: 'ada', password: 'a long walk by the sea' }, { 'idempotency-key': 'once' })
    const user = await (await create(service)).json()
    const created = await service.call('POST', '/keys', { name: 'reader', permissions: ['users:read', 'groups:read'] })
    const { key } = (await created.json()) as { key: string }
    const group = (await (await service.call('POST', '/groups', { name: 'Support' })).json()) as { group_id: string }
    const members = `/groups/${group.group_id}/members`
    await service.call('PUT', `${members}/${(user as { user_id: string }).user_id}`)
    const signIn = await service.call('POST', '/sessions', { username: 'ada', password: 'a long walk by the sea' })
    const cookie = signIn.headers.getSetCookie().map((line) => line.split(';', 1)[0])[0] as string
    assert.equal((await runCommand(['backup', '--data-dir', directory, '--to', file])).code, 0)
    const signedIn = await (await fetch(`${service.url}/me`, { headers: { cookie } })).json()
    assert.equal((signedIn as { username: string }).username, 'ada')
    await service.call('DELETE', `/users/${(user as { user_id: string }).user_id}`)
    await service.end('SIGTERM')

    const other = join(makeDirectory(t), 'data')
    const restored = await runCommand(['restore', '--from', file], { ROLLBOOK_DATA_DIR: other })
    assert.deepEqual([restored.code, restored.out], [0, ''])
    assert.match(
      restored.err,
      /^Checking the copy…\nRestored 1 user into .* in \d+ s\.\nAPI keys are those of the backup.*\nAll users must sign in/,
    )
    assert.equal(statSync(other).mode & 0o777, 0o700)
    assert.equal(statSync(join(other, 'rollbook.db')).mode & 0o777, 0o600)
    const next = await startService(t, { directory: other })
    const found = (await (await next.call('GET', '/users?q=ada', undefined, { 'x-api-key': key })).json()) as object[]
    assert.deepEqual(found, [{ ...(user as object), last_login_at: (found[0] as User).last_login_at }])
    const inGroup = (await (await next.call('GET', members, undefined, { 'x-api-key': key })).json()) as object[]
    assert.deepEqual(inGroup, found)
    // Signed out or disabled in the meantime: an old cookie must not work again.
    assert.equal((await fetch(`${next.url}/me`, { headers: { cookie } })).status, 401)
    const repeated = await create(next)
    assert.deepEqual([repeated.headers.get('idempotency-replayed'), await repeated.json()], ['true', user])
  })

  it('restores second factors as they were, but trusts no browser', async (t) => {
    const env = { ROLLBOOK_KEY_ENCRYPTION_SECRET: 'k'.repeat(32), ROLLBOOK_TRUST_BROWSER_DAYS: '30' }
    const directory = makeDirectory(t)
    const file = join(makeDirectory(t), 'backup.db')
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const user_id = '01a1f8a3-ee02-7386-8d99-56b674796122'
    const code = Array(5).fill('AAAAA').join('-')
    const known = { username: 'ada', password: 'a long walk by the sea' }
    const service = await startService(t, { directory, env })
    const row = { user_id, ...known, totp_secret: secret, recovery_code_hashes: [recoveryCodeHash(user_id, code)] }
    await service.call('POST', '/users/import', row, { 'content-type': 'application/x-ndjson' })
    const cookiesOf = (response: Response) => response.headers.getSetCookie().map((line) => line.split(';', 1)[0])
    const enter = async (at: Service, proof: object, cookie = '') => {
      const begun = await at.call('POST', '/sessions', known, { cookie })
      if (begun.status !== 401) return begun
      const { challenge_id } = (await begun.json()) as { challenge_id: string }
      const second = { challenge_id, ...proof }
      return at.call('POST', '/sessions', second, { cookie: [...cookiesOf(begun), cookie].join('; ') })
    }
    const used = codeOf(secret, Date.now())
    const trusted = await enter(service, { code: used, trust_browser: true })
    assert.equal(trusted.status, 201)
    const browser = cookiesOf(trusted).join('; ')
    assert.equal((await service.call('POST', '/sessions', known, { cookie: browser })).status, 201, 'not asked')
    assert.equal((await runCommand(['backup', '--data-dir', directory, '--to', file])).code, 0)
    assert.equal((await enter(service, { recovery_code: code })).status, 201)
    assert.equal((await service.call('DELETE', `/users/${user_id}/factors`)).status, 200)
    await service.end('SIGTERM')

    const other = join(makeDirectory(t), 'data')
    assert.equal((await runCommand(['restore', '--from', file, '--data-dir', other])).code, 0)
    const next = await startService(t, { directory: other, env })
    assert.equal((await next.call('POST', '/sessions', known, { cookie: browser })).status, 401, 'asked again')
    assert.equal((await enter(next, { code: used })).status, 401, 'a code that was used before the backup')
    assert.equal((await enter(next, { recovery_code: code })).status, 201, 'used after it: works again, as docs say')
    assert.equal((await enter(next, { recovery_code: code })).status, 401)
    assert.equal((await enter(next, { code: codeOf(secret, Date.now() + 30_000) })).status, 201)

    assert.equal((await next.call('DELETE', `/users/${user_id}`)).status, 200)
    assert.equal((await next.call('POST', `/users/${user_id}/restore`)).status, 200)
    const again = await next.call('POST', '/sessions', known)
    const { code: problem } = (await again.json()) as { code: string }
    assert.equal(problem, 'second_factor_required', 'a restored user still needs the factor')
  })

  it('starts a new history of changes, and reports the sessions that it ends', async (t) => {
    type Event = { id: string; type: string; data: { session_id?: string } }
    type Page = { feed_id: string; cursor: string; events: Event[] }
    const directory = makeDirectory(t)
    const file = join(makeDirectory(t), 'backup.db')
    const service = await startService(t, { directory })
    const password = 'a long walk by the sea'
    await service.call('POST', '/users', { username: 'ada', password })
    const { session_id } = (await (await service.call('POST', '/sessions', { username: 'ada', password })).json()) as {
      session_id: string
    }
    assert.equal((await runCommand(['backup', '--data-dir', directory, '--to', file])).code, 0)
    await service.call('POST', '/users', { username: 'since' })
    const follow = async (at: Service, query = '') => {
      const response = await at.call('GET', `/events?limit=1000${query}`)
      const { events = [], ...rest } = (await response.json()) as Partial<Page>
      // Without the service's address, whose port changes with the start.
      return { status: response.status, ...rest, events: events.map(({ id, type, data }) => ({ id, type, data })) }
    }
    const before = await follow(service)
    await service.end('SIGTERM')
    assert.equal((await runCommand(['restore', '--from', file, '--data-dir', directory, '--replace'])).code, 0)

    const next = await startService(t, { directory })
    const after = await follow(next)
    assert.notEqual(after.feed_id, before.feed_id)
    // Events since the backup are not in it, but the end of the session is.
    const common = before.events.slice(0, -1)
    assert.deepEqual(after.events.slice(0, common.length), common)
    const news = after.events.slice(common.length).map(({ type, data }) => [type, data.session_id])
    assert.deepEqual(news, [['session.ended', session_id]])
    // A receiver that compares numbers has seen only smaller ones, whatever happened since the backup.
    await next.call('POST', '/users', { username: 'anew' })
    const [first] = (await follow(next, `&after=${after.cursor}`)).events
    assert.equal(first?.type, 'user.created')
    assert.ok(Number(after.cursor) > 1_000_000_000 && Number(before.cursor) < 1000)
    assert.equal((await follow(next, `&after=${before.cursor}&feed_id=${before.feed_id}`)).status, 410)
    const database = new DatabaseSync(join(directory, 'rollbook.db'), { readOnly: true })
    const records = database.prepare("SELECT what FROM audit_records WHERE action = 'store.restored'").all()
    database.close()
    assert.deepEqual(
      records.map(({ what }) => JSON.parse(String(what)).details.sessions_ended),
      [1],
    )
  })

  it('does not change a store that is in use, or that already exists', async (t) => {
    const file = await backupWith(t, ['old'])
    const directory = makeDirectory(t)
    const service = await serving(t, directory, ['new'])
    for (const options of [[], ['--replace']]) {
      const { code, err } = await runCommand(['restore', '--from', file, '--data-dir', directory, ...options])
      assert.equal(code, 1)
      assert.match(err, new RegExp(`is in use by another Rollbook \\(process ${service.pid}\\)`))
    }
    await service.end('SIGTERM')
    const { code, err } = await runCommand(['restore', '--from', file, '--data-dir', directory])
    assert.equal(code, 1)
    assert.match(err, /already has a store\. With --replace/)
    assert.deepEqual(await usernames(await startService(t, { directory })), ['new'])
    assert.ok(!readdirSync(directory).some((name) => /restoring|before/.test(name)))
  })

  it('prints in a dry run what it would print, and changes nothing', async (t) => {
    const file = await backupWith(t, ['ada', 'bob'])
    const directory = makeDirectory(t)
    const nowhere = join(directory, 'data')
    const tried = await runCommand(['restore', '--from', file, '--data-dir', nowhere, '--dry-run'])
    assert.deepEqual([tried.code, tried.out], [0, ''], tried.err)
    assert.match(tried.err, /^Nothing was changed\. The backup is valid and contains 2 users\.$/m)
    assert.deepEqual(readdirSync(directory), [])
    // A trial must not take the place of the store that is served.
    const trial = await runCommand(['restore', '--from', file, '--trial'], { ROLLBOOK_DATA_DIR: nowhere })
    assert.deepEqual([trial.code, readdirSync(directory)], [2, []])
    assert.equal((await runCommand(['restore', '--from', file, '--data-dir', nowhere])).code, 0)
    const before = readdirSync(nowhere)
    assert.equal((await runCommand(['restore', '--from', file, '--data-dir', nowhere, '--dry-run'])).code, 1)
    const replacing = ['restore', '--from', file, '--data-dir', nowhere, '--replace', '--dry-run']
    assert.equal((await runCommand(replacing)).code, 0)
    assert.deepEqual(readdirSync(nowhere), before)
  })

  it('keeps the store that it replaces, with what was still in its log', async (t) => {
    const file = await backupWith(t, ['old'])
    const directory = makeDirectory(t)
    await (await serving(t, directory, ['new'])).end('SIGKILL')
    assert.ok(statSync(join(directory, 'rollbook.db-wal')).size > 0)
    const { code, out } = await runCommand(['restore', '--from', file, '--data-dir', directory, '--replace'])
    assert.equal(code, 0)
    const previousPath = out.trim()
    assert.match(previousPath, /rollbook\.db\.before-\d{4}-\d\d-\d\dT\d{6}Z$/)
    assert.deepEqual(names(previousPath), ['new'])
    assert.equal(statSync(previousPath).mode & 0o777, 0o600)
    assert.deepEqual(await usernames(await startService(t, { directory })), ['old'])
  })

  it('replaces a damaged store, and keeps it', async (t) => {
    const file = await backupWith(t, ['old'])
    const directory = makeDirectory(t)
    await (await serving(t, directory, ['new'])).end('SIGKILL')
    const handle = openSync(join(directory, 'rollbook.db'), 'r+')
    writeSync(handle, Buffer.alloc(8192, 'x'), 0, 8192, 0)
    closeSync(handle)
    const log = readFileSync(join(directory, 'rollbook.db-wal'))
    const { code, out } = await runCommand(['restore', '--from', file, '--data-dir', directory, '--replace'])
    assert.equal(code, 0)
    assert.ok(existsSync(out.trim()))
    const keptLog = `${out.trim()}-wal`
    if (existsSync(keptLog)) assert.deepEqual(readFileSync(keptLog), log)
    assert.deepEqual(await usernames(await startService(t, { directory })), ['old'])
  })

  it('refuses a file that is not an undamaged backup of a known release, before anything changes', async (t) => {
    const file = await backupWith(t, ['old'])
    const folder = makeDirectory(t)
    const spoilt = (name: string, spoil: (path: string) => void) => {
      const path = join(folder, name)
      copyFileSync(file, path)
      spoil(path)
      return path
    }
    const overwrite = (offset: number) => (path: string) => {
      const handle = openSync(path, 'r+')
      writeSync(handle, Buffer.alloc(12_000, 'x'), 0, 12_000, offset)
      closeSync(handle)
    }
    const change = (statement: string) => (path: string) => {
      const database = new DatabaseSync(path)
      database.exec(statement)
      database.close()
    }
    const half = 'CREATE TABLE move_under_way (source TEXT, place TEXT, started_at TEXT)'
    const newer = "INSERT INTO migrations (name, applied_at, needs) VALUES ('9999-future', '2036', '9999-future')"
    const cases: [string, RegExp][] = [
      [spoilt('text.db', overwrite(0)), /cannot be read as a Rollbook store/],
      [spoilt('damaged.db', overwrite(16_384)), /damaged|cannot be read|malformed/],
      [spoilt('newer.db', change(newer)), /belongs to a newer release \(9999-future\)/],
      [spoilt('half.db', change(half)), /is not complete/],
      [spoilt('foreign.db', change('DROP TABLE users')), /is not a Rollbook store/],
      [join(folder, 'missing.db'), /^There is no backup/],
      [spoilt('cut.db', (path) => truncateSync(path, 30_000)), /cannot be read|malformed|damaged/],
      [spoilt('empty.db', (path) => truncateSync(path)), /is empty/],
      [
        spoilt('dump', (path) => writeFileSync(path, 'PGDMP\x01\x0e')),
        /is a PostgreSQL dump: restore it with pg_restore/,
      ],
      [spoilt('dump.sql', (path) => writeFileSync(path, '--\n-- PostgreSQL database dump')), /restore it with psql/],
      [spoilt('backup.db.gz', (path) => writeFileSync(path, gzipSync(readFileSync(path)))), /unpack it with gunzip/],
      [folder, /is not a file/],
    ]
    const directory = makeDirectory(t)
    await (await serving(t, directory, ['new'])).end('SIGTERM')
    const before = readdirSync(directory).sort()
    for (const [path, message] of cases) {
      const { code, err } = await runCommand(['restore', '--from', path, '--data-dir', directory, '--replace'])
      assert.equal(code, 1, path)
      assert.match(err, message)
      assert.doesNotMatch(err, /^\s+at /m)
      assert.deepEqual(readdirSync(directory).sort(), before)
    }
    assert.deepEqual(names(join(directory, 'rollbook.db')), ['new'])
    const nowhere = makeDirectory(t)
    for (const [path] of cases) {
      for (const target of [nowhere, join(nowhere, 'not', 'there')]) {
        assert.equal((await runCommand(['restore', '--from', path, '--data-dir', target])).code, 1)
        assert.deepEqual(readdirSync(nowhere), [], `${path} into ${target}`)
      }
    }
  })

  it('leaves nothing behind when it is stopped, or the disk is full', async (t) => {
    const file = await backupWith(t, ['old'])
    const padding = new DatabaseSync(file)
    padding.exec('CREATE TABLE padding (bytes BLOB)')
    for (let i = 0; i < 100; i++) padding.exec('INSERT INTO padding VALUES (randomblob(1000000))')
    padding.close()
    const folder = makeDirectory(t)
    const directory = join(folder, 'data')
    const { child, outcome } = startCommand(['restore', '--from', file, '--data-dir', directory])
    while (!existsSync(join(directory, 'rollbook.db.restoring'))) await sleep(2)
    child.kill('SIGTERM')
    assert.equal((await outcome).code, 143)
    assert.deepEqual(readdirSync(folder), [])

    // A separate mount namespace: the small disk belongs to the command and disappears with it.
    const namespace = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])]
    if (spawnSync('unshare', [...namespace, 'true']).status !== 0) {
      t.diagnostic('the full disk was left out: unshare is not allowed here')
      return
    }
    mkdirSync(directory)
    const script = 'mount -t tmpfs -o size=4m none "$0" || exit 99; "$@"; echo "exit $?"; ls -A "$0"'
    const command = [process.execPath, executable, 'restore', '--from', file, '--data-dir', directory]
    const { stdout, stderr } = spawnSync('unshare', [...namespace, 'sh', '-c', script, directory, ...command], {
      encoding: 'utf8',
    })
    assert.match(stderr, /full/)
    assert.equal(stdout, 'exit 1\n')
  })

  it('leaves the old store or the new one whenever it is killed, and can be repeated', async (t) => {
    const file = await backupWith(t, ['old'])
    const crashed = makeDirectory(t)
    await (await serving(t, crashed, ['new'])).end('SIGKILL')
    const directory = makeDirectory(t)
    const acts = ['linkSync', 'renameSync', 'rmSync'].map((name) => `node:fs ${name}`)
    const functions = [...acts, 'node:sqlite DatabaseSync.prototype.exec', 'node:sqlite backup']
    const args = ['restore', '--from', file, '--data-dir', directory, '--replace']
    const left: string[] = []
    for (let n = 1; n < 100; n++) {
      // The old store with a log that contains all its data, next to what a killed restore left.
      cpSync(crashed, directory, { recursive: true })
      const { signal, code, err } = await runCommand(args, killedBefore(n, functions))
      left.push(names(join(directory, 'rollbook.db')).join())
      if (signal !== null) continue
      assert.equal(code, 0, err)
      break
    }
    assert.ok(left.length > 8, `killed at ${left.length - 1} places`)
    assert.ok(
      left.every((name) => name === 'old' || name === 'new'),
      left.join(' '),
    )
    assert.deepEqual(left.slice(-1), ['old'])
  })
})
