import assert from 'node:assert/strict'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { runCommand } from '../../../../test/command-process.ts'
import { makeDirectory, runService, startService } from '../../../../test/durability/process.ts'

/** Lists a directory with the contents of its files; each try creates and removes `lock`. */
const contentsOf = (directory: string) =>
  readdirSync(directory)
    .toSorted()
    .filter((name) => !/^lock/.test(name))
    .map((name) => {
      const isFile = statSync(join(directory, name), { throwIfNoEntry: false })?.isFile() ?? false
      return [name, isFile && readFileSync(join(directory, name)).toString('base64')]
    })

function change(directory: string, text: string): void {
  const database = new DatabaseSync(join(directory, 'rollbook.db'))
  database.exec(text)
  database.close()
}

/** A stopped store, and the same store after SIGKILL: acknowledged changes are only in the log. */
async function makeStores(t: TestContext): Promise<{ served: string; killed: string }> {
  const [served, killed] = [makeDirectory(t), makeDirectory(t)]
  const service = await startService(t, { directory: served, env: { ROLLBOOK_ADMIN_KEY: '' } })
  const key = readFileSync(join(served, 'admin-key'), 'utf8').trim()
  await service.call('POST', '/users', { username: 'ada' }, { 'x-api-key': key })
  cpSync(served, killed, { recursive: true })
  await service.end('SIGTERM')
  return { served, killed }
}

describe('a data directory that lost a part of its store', () => {
  const parts: [name: string, from: 'served' | 'killed', spoil: (directory: string) => void, found: RegExp][] = [
    ['an empty database', 'served', (at) => truncateSync(join(at, 'rollbook.db')), /rollbook\.db is empty, 0 bytes/],
    ['a log without its database', 'killed', (at) => rmSync(join(at, 'rollbook.db')), /there is.*rollbook\.db-wal/],
    [
      'a log beside an empty database',
      'killed',
      (at) => truncateSync(join(at, 'rollbook.db')),
      /empty, 0 bytes \(its log rollbook\.db-wal has \d+ bytes\)/,
    ],
    ['a key but no database', 'served', (at) => rmSync(join(at, 'rollbook.db')), /missing, but there is admin-key/],
    [
      'a lock alone',
      'served',
      (at) => {
        for (const name of ['rollbook.db', 'admin-key']) rmSync(join(at, name))
      },
      /a file `lock` says that the service has run here/,
    ],
    ['half a database', 'served', (at) => truncateSync(join(at, 'rollbook.db'), 40_960), /is cut off: it has 40960 of/],
    ['a few bytes', 'served', (at) => truncateSync(join(at, 'rollbook.db'), 50), /not a SQLite database/],
    [
      'a link to a disk that is not there',
      'served',
      (at) => {
        rmSync(join(at, 'rollbook.db'))
        symlinkSync('/nowhere/rollbook.db', join(at, 'rollbook.db'))
      },
      /a link to a file that does not exist/,
    ],
    [
      'a directory in the place of the database',
      'served',
      (at) => {
        rmSync(join(at, 'rollbook.db'))
        mkdirSync(join(at, 'rollbook.db'))
      },
      /rollbook\.db is not a file/,
    ],
    [
      'a database without migrations',
      'served',
      (at) => change(at, 'DROP TABLE migrations'),
      /lacks the table migrations/,
    ],
    ['an empty record of migrations', 'served', (at) => change(at, 'DELETE FROM migrations'), /migrations is empty/],
    [
      'a database without users',
      'served',
      (at) => change(at, 'PRAGMA foreign_keys = OFF; DROP TABLE users'),
      /lacks the table users/,
    ],
    ['a database without events', 'served', (at) => change(at, 'DROP TABLE events'), /lacks the table events/],
    [
      'the database of another program',
      'served',
      (at) => {
        rmSync(join(at, 'rollbook.db'))
        change(at, 'CREATE TABLE diary (day TEXT)')
      },
      /a database of another program/,
    ],
    [
      'a database without tables',
      'served',
      (at) => {
        rmSync(join(at, 'rollbook.db'))
        change(at, 'PRAGMA user_version = 3')
      },
      /a database without tables/,
    ],
    [
      'a restore that was killed',
      'served',
      (at) => {
        for (const name of ['rollbook.db', 'admin-key']) rmSync(join(at, name))
        writeFileSync(join(at, 'rollbook.db.restoring'), 'x')
      },
      /there is rollbook\.db\.restoring/,
    ],
  ]

  it('is refused with the reason and the remedy, and not changed', async (t) => {
    const stores = await makeStores(t)
    for (const [name, from, spoil, found] of parts) {
      await t.test(name, async (t) => {
        const directory = makeDirectory(t)
        cpSync(stores[from], directory, { recursive: true })
        spoil(directory)
        const before = contentsOf(directory)
        const { code, errors } = await runService({ directory })
        assert.equal(code, 1, errors)
        assert.match(errors, found)
        assert.match(errors, /Nothing was changed/)
        assert.match(errors, /[Rr]estore a backup/)
        assert.doesNotMatch(errors, /^\s+at /m)
        assert.deepEqual(contentsOf(directory), before)
      })
    }
  })

  it('is reported the same by the doctor', async (t) => {
    const { served } = await makeStores(t)
    const directory = makeDirectory(t)
    cpSync(served, directory, { recursive: true })
    truncateSync(join(directory, 'rollbook.db'))
    const { code, out } = await runCommand(['doctor', '--only', 'storage', '--data-dir', directory])
    assert.equal(code, 1)
    assert.match(out, /failed .*rollbook\.db is empty, 0 bytes/)
  })

  it('accepts a backup, which keeps the log of the lost database', async (t) => {
    const { served, killed } = await makeStores(t)
    const backup = join(makeDirectory(t), 'backup.db')
    assert.equal((await runCommand(['backup', '--data-dir', served, '--to', backup])).code, 0)
    const directory = makeDirectory(t)
    cpSync(killed, directory, { recursive: true })
    rmSync(join(directory, 'rollbook.db'))
    const log = readFileSync(join(directory, 'rollbook.db-wal'))
    const { code, out, err } = await runCommand(['restore', '--from', backup, '--data-dir', directory, '--replace'])
    assert.equal(code, 0, err)
    assert.deepEqual(readFileSync(out.trim()), log)
    const service = await startService(t, { directory })
    assert.equal((await service.call('GET', '/users')).status, 200)
  })
})
