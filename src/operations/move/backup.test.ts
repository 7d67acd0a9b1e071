import assert from 'node:assert/strict'
import { closeSync, mkdirSync, openSync, readdirSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand, startCommand } from '../../../test/command-process.ts'
import { makeDirectory, startService } from '../../../test/durability/process.ts'

/** A store that was served, with `names` as users; `padding` megabytes make copying slower. */
async function storeWith(t: TestContext, names: readonly string[], padding = 0): Promise<string> {
  const directory = join(makeDirectory(t), 'data')
  const service = await startService(t, { directory })
  for (const username of names) assert.equal((await service.call('POST', '/users', { username })).status, 201)
  await service.end('SIGTERM')
  if (padding > 0) {
    const database = new DatabaseSync(join(directory, 'rollbook.db'))
    database.exec('CREATE TABLE padding (bytes BLOB)')
    for (let i = 0; i < padding; i++) database.exec('INSERT INTO padding VALUES (randomblob(1000000))')
    database.close()
  }
  return directory
}

function read<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const usernamesIn = (path: string): unknown[] =>
  read(path, (database) => database.prepare('SELECT username FROM users ORDER BY user_id').all()).map(
    ({ username }) => username,
  )

describe('rollbook backup', () => {
  it('copies one state of the store while the server keeps writing', async (t) => {
    const directory = makeDirectory(t)
    const target = join(makeDirectory(t), 'backup.db')
    const service = await startService(t, { directory })
    const created: string[] = []
    let stop = false
    const writing = (async () => {
      while (!stop) {
        const username = `user-${String(created.length).padStart(5, '0')}`
        assert.equal((await service.call('POST', '/users', { username })).status, 201)
        created.push(username)
      }
    })()
    while (created.length < 50) await sleep(5)
    const before = created.length
    const { code, out, err } = await runCommand(['backup', '--data-dir', directory, '--to', target])
    const after = created.length + 1 // One may be in progress.
    stop = true
    await writing
    assert.deepEqual([code, out], [0, `${target}\n`])
    const copied = usernamesIn(target)
    assert.ok(copied.length >= before && copied.length <= after, `${before} <= ${copied.length} <= ${after}`)
    assert.deepEqual(copied, [...created, 'the one on its way'].slice(0, copied.length), 'all until one moment')
    assert.match(err, new RegExp(`Backed up ${copied.length} users, \\d+ MB, in \\d+ s\\.\\n$`))
    assert.equal(read(target, (database) => database.prepare('PRAGMA integrity_check').get())?.integrity_check, 'ok')
    assert.ok(created.length > copied.length, 'the server went on')
  })

  it('writes one file, for its owner only, that can be read on a read-only disk', async (t) => {
    const directory = await storeWith(t, ['ada'])
    const folder = makeDirectory(t)
    const { code, out } = await runCommand(['backup', '--to', folder], { ROLLBOOK_DATA_DIR: directory })
    assert.equal(code, 0)
    const [name, ...others] = readdirSync(folder)
    assert.deepEqual(others, [])
    assert.match(name ?? '', /^rollbook-\d{4}-\d\d-\d\dT\d{6}Z\.db$/)
    const file = join(folder, name as string)
    assert.equal(out, `${file}\n`)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(read(file, (database) => database.prepare('PRAGMA journal_mode').get())?.journal_mode, 'delete')
    assert.deepEqual(usernamesIn(file), ['ada'])
    assert.deepEqual(readdirSync(folder), [name], 'reading it leaves nothing beside it')
  })

  it('overwrites no existing file', async (t) => {
    const directory = await storeWith(t, ['ada'])
    const target = join(makeDirectory(t), 'backup.db')
    assert.equal((await runCommand(['backup', '--data-dir', directory, '--to', target])).code, 0)
    const { ino, mtimeMs } = statSync(target)
    const { code, out, err } = await runCommand(['backup', '--data-dir', directory, '--to', target])
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /already exists and was not changed/)
    assert.deepEqual([statSync(target).ino, statSync(target).mtimeMs], [ino, mtimeMs])
  })

  it('refuses a damaged store, and other files, and keeps no copy of them', async (t) => {
    const directory = await storeWith(t, ['ada', 'bob'], 1)
    const path = join(directory, 'rollbook.db')
    const handle = openSync(path, 'r+')
    writeSync(handle, Buffer.alloc(40_000, 'x'), 0, 40_000, 20_000)
    closeSync(handle)
    const folder = makeDirectory(t)
    const damaged = await runCommand(['backup', '--data-dir', directory, '--to', join(folder, 'backup.db')])
    assert.equal(damaged.code, 1)
    assert.match(damaged.err, /damaged|cannot be read|malformed/)
    assert.doesNotMatch(damaged.err, /^\s+at /m)

    const other = join(makeDirectory(t), 'other')
    mkdirSync(other)
    const database = new DatabaseSync(join(other, 'rollbook.db'))
    database.exec('CREATE TABLE diary (day TEXT)')
    database.close()
    const foreign = await runCommand(['backup', '--data-dir', other, '--to', join(folder, 'backup.db')])
    assert.deepEqual([foreign.code, foreign.err], [1, `${join(other, 'rollbook.db')} is not a Rollbook store.\n`])

    truncateSync(path, 10_000)
    const cut = await runCommand(['backup', '--data-dir', directory, '--to', join(folder, 'backup.db')])
    assert.equal(cut.code, 1)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('removes its partial copy and exits with 130 when it is interrupted', async (t) => {
    const directory = await storeWith(t, ['ada'], 150)
    const folder = makeDirectory(t)
    const { child, outcome } = startCommand(['backup', '--data-dir', directory, '--to', join(folder, 'backup.db')])
    while (readdirSync(folder).length === 0) await sleep(2)
    child.kill('SIGINT')
    const { code, out, err } = await outcome
    assert.deepEqual([code, out], [130, ''])
    assert.match(err, /Interrupted\.\n$/)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('refers to the documentation if the users are in PostgreSQL', async (t) => {
    const folder = makeDirectory(t)
    const env = { ROLLBOOK_DATABASE_URL: 'postgres://rollbook:s3cret@127.0.0.1:1/rollbook' }
    const { code, err } = await runCommand(['backup', '--to', folder], env)
    assert.equal(code, 1)
    assert.match(err, /Use pg_dump and pg_restore for it \(docs\/postgresql\.md\)/)
    assert.doesNotMatch(err, /s3cret/)
  })
})
