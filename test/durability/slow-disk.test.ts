// It compares times, so fewer tests run beside it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { makeDirectory, type Service, startService } from './process.ts'

type User = { user_id: string; username: string }

// Slows and breaks the disk under the service: what it asks the system to make durable takes longer, or fails.
const strace = (injection: string, output = '/dev/null'): string[] => {
  const calls = 'fsync,fdatasync'
  return ['strace', '-f', '--seccomp-bpf', '-o', output, '-e', `trace=${calls}`, '-e', `inject=${calls}:${injection}`]
}
const skip =
  spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status !== 0 && 'strace does not work here'

const rename = (service: Service, { user_id }: User, last_name: string): Promise<Response> =>
  service.call('PATCH', `/users/${user_id}`, { last_name })

async function createUsers(service: Service, size: number): Promise<User[]> {
  const answers = Array.from({ length: size }, (_, i) => service.call('POST', '/users', { username: `user-${i}` }))
  return Promise.all(answers.map(async (response) => (await (await response).json()) as User))
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

describe('a disk under SQLite that is slow to make data durable', { skip }, () => {
  const slow = (ms: number) => strace(`delay_exit=${ms * 1000}`)

  it('is waited for once by all changes that came together', async (t) => {
    const service = await startService(t, { directory: makeDirectory(t), through: slow(50) })
    const users = await createUsers(service, 32)
    const alone = await milliseconds(async () => {
      for (const user of users.slice(0, 8)) assert.equal((await rename(service, user, 'alone')).status, 200)
    })
    assert.ok(alone >= 8 * 50, `8 changes one after the other took ${alone} ms`)
    const together = await milliseconds(() =>
      Promise.all(
        users.map(async (user) => {
          for (let i = 0; i < 3; i++) assert.equal((await rename(service, user, `together ${i}`)).status, 200)
        }),
      ),
    )
    // 96 changes for 8, in about the time.
    assert.ok(together < alone * 3, `96 changes of 32 clients took ${together} ms, 8 of one ${alone} ms`)
  })

  it('is waited for once by a sign-in', async (t) => {
    const directory = makeDirectory(t)
    const output = join(makeDirectory(t), 'syncs')
    const service = await startService(t, { directory, through: strace('delay_exit=1000', output) })
    const syncs = () => readFileSync(output, 'utf8').match(/f(data)?sync\(/g)?.length ?? 0
    const [username, password, signIns] = ['ada', 'Vexil-plomb-Aruda-9', 8]
    assert.equal((await service.call('POST', '/users', { username, password })).status, 201)
    const before = syncs()
    for (let i = 0; i < signIns; i++) {
      assert.equal((await service.call('POST', '/sessions', { username, password })).status, 201)
    }
    // With a few of other work: the log is written back.
    const created = syncs() - before
    assert.ok(created >= signIns && created < 1.5 * signIns, `${signIns} sign-ins waited for ${created} syncs`)
  })

  it('does not delay reads', async (t) => {
    const service = await startService(t, { directory: makeDirectory(t), through: slow(150) })
    const users = await createUsers(service, 8)
    let busy = true
    const writing = Promise.all(
      users.map(async (user) => {
        for (let i = 0; busy; i++) assert.equal((await rename(service, user, `name ${i}`)).status, 200)
      }),
    )
    const reads: number[] = []
    for (let i = 0; i < 60; i++) {
      const { user_id } = users[i % 8] as User
      const paths = [`/users/${user_id}`, '/users?limit=5', '/users?q=user&limit=5', '/users']
      reads.push(await milliseconds(async () => (await service.call('GET', paths[i % 4] as string)).text()))
    }
    busy = false
    await writing
    const median = reads.toSorted((a, b) => a - b)[30] as number
    // Had they waited, half would have waited for 75 ms and more.
    assert.ok(median < 50, `Half of the reads took more than ${median} ms.`)
  })
})

describe('a disk under SQLite that fails for a while', { skip }, () => {
  it('refuses changes that it could not make durable, loses no others, and continues', async (t) => {
    const directory = makeDirectory(t)
    const through = strace('error=EIO:when=30..40')
    const service = await startService(t, { directory, through })
    const outcomes = new Map<string, number>()
    for (let i = 0; i < 60; i++) {
      const response = await service.call('POST', '/users', { username: `user-${i}` })
      outcomes.set(`user-${i}`, response.status)
      if (response.status === 201) continue
      const { code } = (await response.json()) as { code: string }
      assert.deepEqual([response.status, code], [503, 'storage_unavailable'])
      assert.equal((await service.call('GET', '/users?limit=1')).status, 200)
    }
    const created = [...outcomes].filter(([, status]) => status === 201).map(([username]) => username)
    assert.ok(
      created.length < 60 && outcomes.get('user-0') === 201 && outcomes.get('user-59') === 201,
      `${created.length} made`,
    )
    const usernames = async (one: Service): Promise<string[]> =>
      ((await (await one.call('GET', '/users')).json()) as User[]).map(({ username }) => username)
    assert.deepEqual(await usernames(service), created)
    await service.end('SIGKILL')
    assert.deepEqual(await usernames(await startService(t, { directory })), created)
    const database = new DatabaseSync(join(directory, 'rollbook.db'), { timeout: 5000 })
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
    database.close()
  })
})
