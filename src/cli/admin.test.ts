import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePlace, type Place, type Service, startService } from '../../test/durability/process.ts'
import { type Engine, engines } from '../../test/harness.ts'
import { password } from '../../test/people.ts'
import { runCommand } from './command-process.ts'

const next = 'a moth in relay seventy'

/** A place whose service has run once and is stopped: SQLite lets nobody else in while it runs. */
async function startOnce(
  t: TestContext,
  engine: Engine,
  prepare: (service: Service) => Promise<void> = async () => {},
) {
  const place = await makePlace(t, engine)
  const service = await startService(t, place)
  await prepare(service)
  await service.end('SIGTERM')
  const file = join(place.directory, 'password')
  writeFileSync(file, `${next}\n`)
  return { place, file, reset: (...args: string[]) => reset(place, args) }
}

function reset({ directory, env }: Place, args: readonly string[]) {
  return runCommand(['admin', 'reset', ...args], { ROLLBOOK_DATA_DIR: directory, ...env })
}

async function made(service: Service, path: string, body: unknown) {
  const answer = await service.call('POST', path, body)
  assert.equal(answer.status, 201, await answer.clone().text())
  return { answer, body: (await answer.json()) as Record<string, string> }
}

/** What the audit says of the command itself. */
async function records(service: Service) {
  const answer = await service.call('GET', '/audit?actor_kind=system')
  const all = (await answer.json()) as Record<string, unknown>[]
  return all
    .filter(({ user_agent }) => String(user_agent).startsWith('rollbook admin reset, by '))
    .map(({ action, outcome, address, actor }) => ({ action, outcome, address, actor: (actor as { id: string }).id }))
}

for (const engine of engines) {
  describe(`rollbook admin reset on ${engine.name}`, () => {
    it('makes a key with full access in a file for its owner only, says it nowhere, and is recorded', async (t) => {
      const { place, reset } = await startOnce(t, engine)
      const file = join(place.directory, 'admin-key')
      const dry = await reset('--dry-run')
      assert.equal(dry.code, 0, dry.err)
      assert.equal(existsSync(file), false)
      const { code, out, err } = await reset()
      assert.deepEqual([code, out], [0, `${file}\n`], err)
      const key = readFileSync(file, 'utf8').trim()
      assert.match(key, /^rb_/)
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.ok(!err.includes(key))
      assert.match(err, /^Other keys with full access; .*\n.*admin \(configuration\)/m)

      const again = await reset()
      assert.deepEqual([again.code, again.out], [2, ''], 'what is there is not replaced unasked')
      assert.equal(readFileSync(file, 'utf8').trim(), key)

      const service = await startService(t, place)
      const answer = await service.call('GET', '/keys', undefined, { 'x-api-key': key })
      assert.equal(answer.status, 200)
      assert.deepEqual(await records(service), [
        { action: 'key.created', outcome: 'success', address: hostname(), actor: 'system' },
      ])
      assert.ok(!service.log().includes(key))
    })

    it('gives an administrator another password, activates them, and ends what they were given before', async (t) => {
      let cookie = ''
      const { place, file, reset } = await startOnce(t, engine, async (service) => {
        await made(service, '/users', { username: 'Ada', email: 'ada@example.com', password, role: 'admin' })
        await made(service, '/users', { username: 'other', password, role: 'admin' })
        const session = await made(service, '/sessions', { username: 'ada', password })
        cookie = String(session.answer.headers.get('set-cookie')).split(';', 1)[0] as string
        const { user_id } = await (await service.call('GET', '/users?username=ada'))
          .json()
          .then((found) => (found as { user_id: string }[])[0] as { user_id: string })
        const disabled = await service.call('PATCH', `/users/${user_id}`, { active: false })
        assert.equal(disabled.status, 200)
      })
      const { code, out, err } = await reset('ADA@example.com', '--password-file', file, '--must-change', '--json')
      assert.equal(code, 0, err)
      assert.match(err, /^Ada is active again\.$/m)
      const { user, key } = JSON.parse(out)
      assert.deepEqual([user.username, user.role, user.created, key], ['Ada', 'admin', false, null])

      const service = await startService(t, place)
      const signIn = (one: string) =>
        service.call('POST', '/sessions', { username: 'ada', password: one }, { 'x-api-key': '' })
      assert.equal((await signIn(password)).status, 401)
      assert.equal((await signIn(next)).status, 201)
      assert.equal((await fetch(`${service.url}/me`, { headers: { cookie } })).status, 401)
      assert.deepEqual(await records(service), [
        { action: 'user.updated', outcome: 'success', address: hostname(), actor: 'system' },
      ])
    })

    it('makes nobody an administrator by a slip of the pen', async (t) => {
      const { place, file, reset } = await startOnce(t, engine, async (service) => {
        await made(service, '/users', { username: 'bob' })
      })
      const unknown = await reset('bod', '--password-file', file)
      assert.deepEqual([unknown.code, unknown.out], [3, ''], unknown.err)
      const lesser = await reset('bob', '--password-file', file)
      assert.deepEqual([lesser.code, lesser.out], [5, ''], lesser.err)
      const weak = join(place.directory, 'weak')
      writeFileSync(weak, 'password')
      const refused = await reset('carol', '--create', '--password-file', weak)
      assert.deepEqual([refused.code, refused.out], [1, ''])
      assert.match(refused.err, /^The password has fewer than 15 characters\.$/m)
      assert.equal((await reset('carol', '--create')).code, 2, 'there is nobody to ask')

      for (const args of [
        ['bob', '--promote'],
        ['carol', '--create', '--must-change'],
      ]) {
        const { code, err } = await reset(...args, '--password-file', file)
        assert.equal(code, 0, err)
      }
      const service = await startService(t, place)
      const users = (await (await service.call('GET', '/users?role=admin')).json()) as { username: string }[]
      assert.deepEqual(users.map(({ username }) => username).sort(), ['bob', 'carol'])
      const session = await made(service, '/sessions', { username: 'carol', password: next })
      const cookie = String(session.answer.headers.get('set-cookie')).split(';', 1)[0] as string
      const listed = await fetch(`${service.url}/users`, { headers: { cookie } })
      assert.equal(listed.status, 403, 'she has to choose another password first')
    })

    const isSqlite = engine.name === 'SQLite'
    const rule = isSqlite
      ? 'waits for nobody who serves the store'
      : 'works beside a running service, which hears of it'
    it(rule, async (t) => {
      const place = await makePlace(t, engine)
      const service = await startService(t, place)
      const { body } = await made(service, '/users', { username: 'ada', password, role: 'admin' })
      const session = await made(service, '/sessions', { username: 'ada', password })
      const cookie = String(session.answer.headers.get('set-cookie')).split(';', 1)[0] as string
      const me = async () => (await fetch(`${service.url}/me`, { headers: { cookie } })).status
      assert.equal(await me(), 200)
      const file = join(place.directory, 'password')
      writeFileSync(file, next)
      const { code, out, err } = await reset(place, ['ada', '--password-file', file])
      if (isSqlite) {
        assert.deepEqual([code, out], [1, ''])
        assert.match(err, /^The data directory .* is in use by another Rollbook \(process \d+\)\. Stop that one first/)
        assert.equal(await me(), 200)
        return
      }
      assert.deepEqual([code, out], [0, `${body.user_id}\n`], err)
      await sleep(1000)
      assert.equal(await me(), 401)
    })
  })
}

describe('rollbook admin reset', () => {
  it('makes no store where there is none', async (t) => {
    const { directory } = await makePlace(t, { name: 'SQLite' })
    const { code, err } = await runCommand(['admin', 'reset'], { ROLLBOOK_DATA_DIR: directory })
    assert.equal(code, 1)
    assert.match(err, /^There is no store/)
    assert.equal(existsSync(join(directory, 'rollbook.db')), false)
  })
})
