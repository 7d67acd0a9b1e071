import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../command-process.ts'
import { makeDirectory, type Service, startService } from './process.ts'

/** Makes reads of the database fail with EIO while the file $FAULTS is there, as a faulty disk does. */
const shim = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
static int is_faulty(int fd) {
  const char *switch_file = getenv("FAULTS");
  if (switch_file == NULL || access(switch_file, F_OK) != 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "/rollbook.db") != NULL;
}
#define FAULTY(name) \\
  ssize_t name(int fd, void *buffer, size_t count, off_t offset) { \\
    static ssize_t (*real)(int, void *, size_t, off_t); \\
    if (real == NULL) real = dlsym(RTLD_NEXT, #name); \\
    if (is_faulty(fd)) { errno = EIO; return -1; } \\
    return real(fd, buffer, count, offset); \\
  }
FAULTY(pread)
FAULTY(pread64)
`

const hasCompiler = spawnSync('gcc', ['--version']).status === 0

async function onFaultyDisk(t: TestContext): Promise<{ service: Service; directory: string; faults: string }> {
  const tools = makeDirectory(t)
  const [source, library, faults] = ['shim.c', 'shim.so', 'faults'].map((name) => join(tools, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(source, shim)
  const compiled = spawnSync('gcc', ['-shared', '-fPIC', '-o', library, source, '-ldl'], { encoding: 'utf8' })
  assert.equal(compiled.status, 0, compiled.stderr)
  const directory = makeDirectory(t)
  const service = await startService(t, { directory, env: { LD_PRELOAD: library, FAULTS: faults } })
  return { service, directory, faults }
}

type Line = {
  level: string
  msg?: string
  code?: string
  reason?: string
  path?: string
  status?: number
  err?: object
}
const linesOf = (service: Service): Line[] =>
  service
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

async function waitFor(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 1500 && !condition(); n++) await sleep(20)
  assert.ok(condition())
}

const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code

describe('a disk that cannot be read', { skip: !hasCompiler && 'gcc is needed to simulate it' }, () => {
  it('refuses requests with 503, does not end the process, and is served again when it can be read', async (t) => {
    const { service, faults } = await onFaultyDisk(t)
    const ids: string[] = []
    for (let i = 0; i < 300; i++) {
      const created = await service.call('POST', '/users', { username: `user-${i}`, last_name: 'x'.repeat(200) })
      ids.push(((await created.json()) as { user_id: string }).user_id)
    }
    writeFileSync(faults, '')
    const paths = [
      '/users',
      '/users?q=user&count=true',
      '/users?limit=5&sort=-username',
      '/audit?limit=5',
      '/events',
      `/users/${ids[7]}`,
      '/metrics',
      '/deployment',
      '/health/live',
    ]
    const answers = await Promise.all([...paths, ...paths].map((path) => service.call('GET', path)))
    for (const response of answers) {
      assert.ok([200, 503].includes(response.status), `${response.url} answered ${response.status}`)
      if (response.status === 503) {
        // SQLite makes SQLITE_CORRUPT of EIO; the check that follows finds that there is no damage.
        assert.match(String(await codeOf(response)), /^storage_(unavailable|damaged)$/)
      } else await response.arrayBuffer()
    }
    assert.ok(answers.some(({ status }) => status === 503))
    const change = await service.call('PATCH', `/users/${ids[150]}`, { last_name: 'y' }, { 'if-match': '*' })
    assert.ok([200, 503].includes(change.status), `${change.status}`)
    await sleep(200) // What runs between requests meets the fault as well.
    rmSync(faults)
    for (let n = 0; n < 600 && (await service.call('GET', '/health/ready')).status !== 200; n++) await sleep(50)
    const users = (await (await service.call('GET', '/users')).json()) as unknown[]
    assert.equal(users.length, 300)
    assert.equal((await service.call('POST', '/users', { username: 'afterwards' })).status, 201)
    assert.equal((await service.call('GET', '/health/ready')).status, 200)
    const metrics = await (await service.call('GET', '/metrics')).text()
    assert.match(metrics, /^rollbook_storage_faults_total\{kind="(failed|damaged)"\} [1-9]/m)
    assert.match(metrics, /^rollbook_storage_damaged 0$/m)
    assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
    // One line for each request that failed, with the reason and without a stack.
    const failed = linesOf(service).filter(({ status, path }) => status === 503 && path !== '/auth/health/ready')
    assert.equal(failed.length, answers.filter(({ status }) => status === 503).length + Number(change.status === 503))
    for (const line of failed) {
      assert.equal(line.msg, 'request failed')
      assert.match(`${line.code}: ${line.reason}`, /^storage_(unavailable: disk I\/O error|damaged: )/)
    }
    assert.doesNotMatch(service.log(), /"stack"/)
    assert.equal(service.errors().match(/^\s+at /m), null)
  })
})

describe('a database that is damaged while it is in use', () => {
  it('is said so by each refusal, by readiness, the metrics, the log and the doctor', async (t) => {
    const directory = makeDirectory(t)
    const first = await startService(t, { directory })
    for (let i = 0; i < 300; i++) {
      await first.call('POST', '/users', { username: `user-${i}`, last_name: 'x'.repeat(200) })
    }
    await first.end('SIGTERM')
    const service = await startService(t, { directory })
    assert.equal((await service.call('GET', '/metrics')).status, 200)
    const path = join(directory, 'rollbook.db')
    const handle = openSync(path, 'r+')
    // From the second page on: the head still says that it is a database.
    for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(handle, Buffer.alloc(512, 0x55), 0, 512, at)
    closeSync(handle)
    const refused = await service.call('GET', '/users?limit=200')
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, null])
    const problem = (await refused.json()) as { code: string; detail: string }
    assert.equal(problem.code, 'storage_damaged')
    assert.match(problem.detail, /restore a backup/)
    const ready = await service.call('GET', '/health/ready')
    assert.deepEqual(
      [ready.status, ready.headers.get('retry-after'), await codeOf(ready)],
      [503, null, 'storage_damaged'],
    )
    await waitFor(() => linesOf(service).some(({ msg }) => msg?.includes('found damage, changes are refused')))
    const change = await service.call('POST', '/users', { username: 'late' })
    assert.deepEqual([change.status, await codeOf(change)], [503, 'storage_damaged'])
    assert.equal((await service.call('GET', '/health/live')).status, 200)
    const metrics = await (await service.call('GET', '/metrics')).text()
    for (const [name, value] of Object.entries({ ready: 0, database_up: 0, store_readable: 0, storage_damaged: 1 })) {
      assert.match(metrics, new RegExp(`^rollbook_${name} ${value}$`, 'm'))
    }
    assert.match(metrics, /^rollbook_storage_faults_total\{kind="damaged"\} [1-9]/m)
    const deployment = (await (await service.call('GET', '/deployment')).json()) as {
      storage: { ready: boolean }
      warnings: { code: string }[]
    }
    assert.equal(deployment.storage.ready, false)
    assert.ok(deployment.warnings.some(({ code }) => code === 'storage_damaged'))
    await service.end('SIGTERM')
    const logged = linesOf(service).filter(({ msg }) => msg?.startsWith('the store seems to be damaged'))
    assert.deepEqual([logged.length, logged[0]?.level], [1, 'error'])
    const line = linesOf(service).find((one) => one.path === '/auth/users' && one.status === 503)
    assert.deepEqual([line?.level, line?.code], ['error', 'storage_damaged'])
    assert.match((await runCommand(['doctor', '--only', 'storage', '--data-dir', directory])).out, /is damaged: /)
  })
})

describe('an uncaught error', () => {
  for (const [how, code] of [
    ['is thrown', "setTimeout(() => { throw new Error('by a test') }, 300)"],
    ['is a rejection', "setTimeout(() => Promise.reject(new Error('by a test')), 300)"],
    ['is not an Error', "setTimeout(() => { throw 'by a test' }, 300)"],
  ] as const) {
    it(`ends the process with one fatal line: it ${how}`, async (t) => {
      const directory = makeDirectory(t)
      // After the service has started, in its main thread alone.
      const preload = `import { isMainThread } from 'node:worker_threads'
        if (isMainThread) { const timer = setInterval(() => {
          if (process.listenerCount('SIGTERM') > 0) { clearInterval(timer); ${code} }
        }, 20) }`
      const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` }
      const service = await startService(t, { directory, env })
      const { code: exitCode } = await service.whenEnded
      assert.equal(exitCode, 70)
      const fatal = linesOf(service).filter(({ level }) => level === 'fatal')
      assert.equal(fatal.length, 1)
      assert.match(JSON.stringify(fatal[0]), /by a test/)
      assert.doesNotMatch(service.errors(), /^\s+at /m)
      assert.ok(readFileSync(join(directory, 'rollbook.db')).length > 0)
    })
  }
})
