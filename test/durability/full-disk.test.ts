import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { adminKey } from '../harness.ts'
import { makeDirectory, runService, type Service, startService } from './process.ts'

type User = { username: string }

const succeeds = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** A mount namespace of its own: the small disk is the service's alone and goes with it. */
const namespace = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])]
const smallDisk = [...namespace, 'sh', '-c', 'mount -t tmpfs -o size=6m none "$ROLLBOOK_DATA_DIR" && exec "$@"', 'sh']

function fillDisk(path: string): void {
  const file = openSync(path, 'w')
  for (let size = 65_536; size >= 1; size /= 2) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    }
  }
  closeSync(file)
}

/** Creates users until the response has `status`, or 500 of them. Returns the created ones. */
async function createUntil(
  service: Service,
  status: number,
  name: string,
  created: string[],
): Promise<Response | undefined> {
  for (let i = 0; i < 500; i++) {
    const username = `${name}-${i}`
    const response = await service.call('POST', '/users', { username, last_name: 'x'.repeat(200) })
    if (response.status === 201) created.push(username)
    if (response.status === status) return response
    assert.ok([201, 503].includes(response.status), `${response.status}`)
  }
  return undefined
}

/** Writes are refused with `code`, and nothing of them is there; everything that only reads works. */
async function checkRefusing(
  service: Service,
  code: string,
  refusal: Response | undefined,
  created: string[],
): Promise<void> {
  const problem = (await refusal?.json()) as { code: string; detail: string }
  assert.deepEqual([problem.code, refusal?.headers.get('retry-after') !== null], [code, true])
  assert.match(problem.detail, /nothing was changed/)
  const users = (await (await service.call('GET', '/users')).json()) as User[]
  assert.deepEqual(
    users.map(({ username }) => username),
    created,
  )
  for (const path of ['/users?limit=5', `/users?q=${created[0]}`, '/keys', '/health/live', '/openapi.json']) {
    const response = await service.call('GET', path)
    assert.equal(response.status, 200, path)
    await response.text()
  }
}

/** Writes work again, and the files in `directory` hold what was acknowledged. */
async function checkRecovered(t: TestContext, service: Service, directory: string, created: string[]): Promise<void> {
  assert.equal((await createUntil(service, 201, 'after', created))?.status, 201)
  // A copy, because SQLite follows links and would look for the small disk where only the service sees it.
  const copy = makeDirectory(t)
  for (const file of ['rollbook.db', 'rollbook.db-wal']) copyFileSync(join(directory, file), join(copy, file))
  const database = new DatabaseSync(join(copy, 'rollbook.db'))
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  assert.deepEqual(
    database
      .prepare('SELECT username FROM users ORDER BY row_id')
      .all()
      .map(({ username }) => username),
    created,
  )
  database.close()
}

describe('a full disk under SQLite', () => {
  it('refuses writes with storage_full, allows reads, and recovers when there is room again', async (t) => {
    if (!succeeds(...(namespace as [string]), 'mount', '-t', 'tmpfs', 'none', tmpdir())) {
      return t.skip('a file system of its own cannot be mounted here (unshare, mount)')
    }
    const directory = makeDirectory(t)
    const service = await startService(t, { directory, through: smallDisk })
    // The same directory as the service sees it.
    const inside = `/proc/${service.pid}/root${directory}`
    const created: string[] = []
    await createUntil(service, 201, 'before', created)
    fillDisk(join(inside, 'ballast'))
    const refusal = await createUntil(service, 503, 'full', created)
    await checkRefusing(service, 'storage_full', refusal, created)
    rmSync(join(inside, 'ballast'))
    await checkRecovered(t, service, inside, created)
    assert.equal((await service.end('SIGTERM')).code, 0)
  })

  it('says in a start that migrates how much room it needs, and in an import how many rows stay', async (t) => {
    if (!succeeds(...(namespace as [string]), 'mount', '-t', 'tmpfs', 'none', tmpdir())) {
      return t.skip('a file system of its own cannot be mounted here (unshare, mount)')
    }
    const through = smallDisk.map((part) => part.replace('size=6m', 'size=300k'))
    const { code, errors } = await runService({ directory: makeDirectory(t), through })
    assert.equal(code, 1)
    assert.match(
      errors,
      /^The disk of .* is full\. Make room and start again: a migration of this store can need \d+ MB/,
    )
    const service = await startService(t, { directory: makeDirectory(t), through: smallDisk })
    const rows = Array.from(
      { length: 20_000 },
      (_, n) => `${JSON.stringify({ username: `u${n}`, last_name: 'x'.repeat(200) })}\n`,
    )
    const response = await fetch(`${service.url}/users/import`, {
      method: 'POST',
      headers: { 'x-api-key': adminKey, 'content-type': 'application/x-ndjson' },
      body: rows.join(''),
    })
    const { code: problem, detail } = (await response.json()) as { code: string; detail: string }
    assert.equal(problem, 'storage_full')
    assert.match(detail, /^The disk is full\. The first [1-9]\d+ rows are imported and stay; /)
  })

  it('is handled the same for a file that may not grow, which the system reports as another error', async (t) => {
    if (!succeeds('prlimit', '--version')) return t.skip('there is no prlimit to lift a limit with')
    const directory = makeDirectory(t)
    const through = ['sh', '-c', 'ulimit -S -f 2000; exec "$@"', 'sh'] // blocks of 512 bytes
    const service = await startService(t, { directory, through })
    const created: string[] = []
    const refusal = await createUntil(service, 503, 'full', created)
    await checkRefusing(service, 'storage_unavailable', refusal, created)
    assert.ok(succeeds('prlimit', '--pid', String(service.pid), '--fsize=unlimited'))
    await checkRecovered(t, service, directory, created)
    await service.end('SIGKILL')
    const next = await startService(t, { directory })
    assert.equal(((await (await next.call('GET', '/users')).json()) as User[]).length, created.length)
  })
})
