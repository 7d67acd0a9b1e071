import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { runCommand } from '../../../test/command-process.ts'
import { makeDirectory, makePlace, type Place, type Service, startService } from '../../../test/durability/process.ts'
import { anyEngine, type Engine, engines } from '../../../test/harness.ts'
import { password } from '../../../test/people.ts'
import { assertWithin } from '../../../test/time-limit.ts'

const next = 'a moth in relay seventy'

/** A store whose service has run once and is stopped: SQLite allows no second process while it runs. */
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

async function create(service: Service, path: string, body: unknown) {
  const response = await service.call('POST', path, body)
  assert.equal(response.status, 201, await response.clone().text())
  return { answer: response, body: (await response.json()) as Record<string, string> }
}

/** Returns the audit records of the command. */
async function records(service: Service) {
  const response = await service.call('GET', '/audit?actor_kind=system')
  const all = (await response.json()) as Record<string, unknown>[]
  return all
    .filter(({ user_agent }) => String(user_agent).startsWith('rollbook admin reset, by '))
    .map(({ action, outcome, address, actor }) => ({ action, outcome, address, actor: (actor as { id: string }).id }))
}

for (const engine of engines) {
  describe(`rollbook admin reset on ${engine.name}`, () => {
    it('creates a key and sets a password: both work, and the audit records them', async (t) => {
      const { place, file, reset } = await startOnce(t, engine, async (service) => {
        const body = { username: 'Ada', email: 'ada@example.com', password, role: 'admin' }
        const { user_id } = (await create(service, '/users', body)).body
        await create(service, '/users', { username: 'other', password, role: 'admin' })
        assert.equal((await service.call('PATCH', `/users/${user_id}`, { active: false })).status, 200)
      })
      const keyFile = join(place.directory, 'admin-key')
      const dry = await reset('--dry-run')
      assert.equal(dry.code, 0, dry.err)
      assert.equal(existsSync(keyFile), false)
      if (process.getuid?.() === 0) {
        chownSync(place.directory, 1, 1)
        const foreign = await reset()
        assert.deepEqual([foreign.code, foreign.out, existsSync(keyFile)], [1, '', false])
        assert.match(foreign.err, /^The data directory .* belongs to the user 1\. Run this as that user/)
        chownSync(place.directory, 0, 0)
      }
      const forKey = await reset()
      assert.deepEqual([forKey.code, forKey.out], [0, `${keyFile}\n`], forKey.err)
      const key = readFileSync(keyFile, 'utf8').trim()
      assert.match(key, /^rb_/)
      assert.equal(statSync(keyFile).mode & 0o777, 0o600)
      assert.ok(!forKey.err.includes(key))
      assert.match(forKey.err, /^Other keys with full access\. .*\n.*admin \(configuration\)/m)

      const args = ['ADA@example.com', '--password-file', file, '--json']
      const forPerson = await reset(...args)
      assert.equal(forPerson.code, 0, forPerson.err)
      assert.match(forPerson.err, /^Ada is active again\.$/m)
      const said = JSON.parse(forPerson.out)
      assert.deepEqual([said.user.username, said.user.role, said.user.created, said.key], ['Ada', 'admin', false, null])

      const service = await startService(t, place)
      assert.equal((await service.call('GET', '/keys', undefined, { 'x-api-key': key })).status, 200)
      const signIn = (one: string) => service.call('POST', '/sessions', { username: 'ada', password: one })
      assert.equal((await signIn(password)).status, 401)
      assert.equal((await signIn(next)).status, 201)
      const common = { outcome: 'success', address: hostname(), actor: 'system' }
      assert.deepEqual(await records(service), [
        { action: 'user.updated', ...common },
        { action: 'key.created', ...common },
      ])
      assert.ok(!service.log().includes(key))
    })

    it('removes the second factors of the user, whose phone may be lost', async (t) => {
      const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
      const { place, file, reset } = await startOnce(t, engine, async (service) => {
        const row = { username: 'ada', password, role: 'admin', totp_secret: secret }
        const ndjson = { 'content-type': 'application/x-ndjson' }
        const response = await service.call('POST', '/users/import', row, ndjson)
        assert.equal(((await response.json()) as { created: number }).created, 1)
        const refused = await service.call('POST', '/sessions', { username: 'ada', password }, { 'x-api-key': '' })
        assert.equal(((await refused.json()) as { code: string }).code, 'second_factor_required')
      })
      const dry = await reset('ada', '--password-file', file, '--dry-run')
      assert.equal(dry.code, 0, dry.err)
      const done = await reset('ada', '--password-file', file)
      assert.equal(done.code, 0, done.err)
      const service = await startService(t, place)
      await create(service, '/sessions', { username: 'ada', password: next })
      const audit = await records(service)
      assert.ok(audit.some(({ action }) => action === 'user.factors_reset'))
    })

    it('leaves the role of a user who is an administrator through a group', async (t) => {
      const { place, file, reset } = await startOnce(t, engine, async (service) => {
        const { user_id } = (await create(service, '/users', { username: 'ada', password })).body
        const { group_id } = (await create(service, '/groups', { name: 'Owners', role: 'admin' })).body
        const path = `/groups/${group_id}/members/${user_id}`
        assert.equal((await service.call('PUT', path)).status, 200)
      })
      const done = await reset('ada', '--password-file', file, '--json')
      assert.equal(done.code, 0, done.err)
      assert.equal(JSON.parse(done.out).user.role, 'user')
      const service = await startService(t, place)
      const session = await create(service, '/sessions', { username: 'ada', password: next })
      const cookie = String(session.answer.headers.get('set-cookie')).split(';', 1)[0] as string
      const response = await fetch(`${service.url}/me`, { headers: { cookie } })
      assert.ok(((await response.json()) as { permissions: string[] }).permissions.includes('*'))
    })

    const isSqlite = engine.name === 'SQLite'
    const rule = isSqlite
      ? 'is refused while the store is served, and ends what was given before'
      : 'works beside a running service, which hears of it'
    it(rule, async (t) => {
      const place = await makePlace(t, engine)
      const service = await startService(t, place)
      const { body } = await create(service, '/users', { username: 'ada', password, role: 'admin' })
      const session = await create(service, '/sessions', { username: 'ada', password })
      const cookie = String(session.answer.headers.get('set-cookie')).split(';', 1)[0] as string
      const me = async ({ url }: Service) => (await fetch(`${url}/me`, { headers: { cookie } })).status
      assert.equal(await me(service), 200)
      const file = join(place.directory, 'password')
      writeFileSync(file, next)
      const args = ['ada', '--password-file', file]
      const first = await reset(place, args)
      if (!isSqlite) {
        assert.deepEqual([first.code, first.out], [0, `${body.user_id}\n`], first.err)
        for (const begun = performance.now(); (await me(service)) !== 401; await sleep(20)) {
          assertWithin(1000, begun, 'The end of the session')
        }
        return
      }
      assert.deepEqual([first.code, first.out], [1, ''])
      assert.match(
        first.err,
        /^The data directory .* is in use by another Rollbook \(process \d+\)\. Stop that process first/,
      )
      assert.equal(await me(service), 200)
      await service.end('SIGTERM')
      assert.equal((await reset(place, args)).code, 0)
      assert.equal(await me(await startService(t, place)), 401)
    })
  })
}

describe('rollbook admin reset', () => {
  it('creates no administrator and replaces no file by a typing error', async (t) => {
    const { place, file, reset } = await startOnce(t, anyEngine, async (service) => {
      await create(service, '/users', { username: 'bob' })
    })
    const unknown = await reset('bod', '--password-file', file)
    assert.deepEqual([unknown.code, unknown.out], [3, ''], unknown.err)
    const lesser = await reset('bob', '--password-file', file)
    assert.deepEqual([lesser.code, lesser.out], [5, ''], lesser.err)
    const keptPath = join(place.directory, 'kept')
    writeFileSync(keptPath, 'a secret of another program')
    const unasked = await reset('--key-file', keptPath)
    assert.deepEqual([unasked.code, unasked.out], [2, ''])
    assert.equal(readFileSync(keptPath, 'utf8'), 'a secret of another program')
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
    const session = await create(service, '/sessions', { username: 'carol', password: next })
    const cookie = String(session.answer.headers.get('set-cookie')).split(';', 1)[0] as string
    const listed = await fetch(`${service.url}/users`, { headers: { cookie } })
    assert.equal(listed.status, 403, 'she has to choose another password first')
    const byReset = (await records(service)).map(({ action }) => action)
    assert.deepEqual(byReset, ['user.password_set', 'user.created', 'user.updated'])
    const found = await service.call('GET', '/audit?action=user.created')
    const [carol] = (await found.json()) as { changes: Record<string, unknown> }[]
    assert.equal('password' in (carol?.changes ?? {}), false, 'cut short here, nobody could sign in as her')
  })

  it('creates no store where there is none', async (t) => {
    const directory = makeDirectory(t)
    const { code, err } = await runCommand(['admin', 'reset'], { ROLLBOOK_DATA_DIR: directory })
    assert.equal(code, 1)
    assert.match(err, /^There is no store/)
    assert.equal(existsSync(join(directory, 'rollbook.db')), false)
  })
})

for (const engine of engines) {
  describe(`rollbook admin link on ${engine.name}`, () => {
    it('prints a link while the service runs, which creates the first administrator once and is in the audit', async (t) => {
      const place = await makePlace(t, engine)
      const service = await startService(t, place)
      const link = (...args: string[]) =>
        runCommand(['admin', 'link', ...args], { ROLLBOOK_DATA_DIR: place.directory, ...place.env, ...linkEnv })
      // Output that is not on a terminal may be stored, so it contains no token.
      const [, pasted = ''] = /^ {2}(.* admin link)$/m.exec(service.errors()) ?? []
      const { stdout } = await promisify(execFile)('sh', ['-c', pasted], {
        env: { PATH: process.env.PATH, ...place.env, ...linkEnv },
      })
      assert.match(stdout, /#token=[\w-]{43}\n$/, pasted)
      assert.ok(!`${service.errors()}${service.log()}`.includes('#token='))
      const old = await link()
      assert.deepEqual([old.code, old.err], [0, ''])
      const printed = await link('--json')
      const form = /^https:\/\/orchard\.example\/auth\/console\/setup#token=([\w-]{43})$/
      const tokenOf = (text: string) => form.exec(text)?.[1]
      const [replaced, token] = [tokenOf(old.out.trimEnd()), tokenOf(JSON.parse(printed.out).link)]
      assert.ok(replaced !== undefined && token !== undefined, printed.out)
      const complete = (one: string) => service.call('POST', '/setup', { token: one, username: 'ada', password })
      assert.equal((await complete(replaced)).status, 403)
      assert.equal((await complete(token)).status, 201)
      const refused = await link()
      assert.deepEqual([refused.code, refused.out], [1, ''])
      assert.match(refused.err, /^There is already an active administrator\. Sign in as that user/)
      const audit = await service.call('GET', '/audit?action=setup.link_created')
      const records = (await audit.json()) as { address: string; user_agent: string; actor: { id: string } }[]
      assert.deepEqual(
        records.map(({ address, user_agent, actor }) => [address, user_agent.split(',')[0], actor.id]),
        [1, 2, 3].map(() => [hostname(), 'rollbook admin link', 'system']),
      )
      const verified = await runCommand(['audit', 'verify'], { ROLLBOOK_DATA_DIR: place.directory, ...place.env })
      assert.equal(verified.code, 0, verified.err)
    })

    it('works on a stopped store, and creates none', async (t) => {
      const { place } = await startOnce(t, engine)
      const env = { ROLLBOOK_DATA_DIR: place.directory, ...place.env }
      const printed = await runCommand(['admin', 'link'], env)
      assert.match(printed.out, /^http:\/\/127\.0\.0\.1:8080\/auth\/console\/setup#token=[\w-]{43}\n$/, printed.err)
      const fresh = await makePlace(t, engine, { migrates: true })
      const absent = await runCommand(['admin', 'link'], { ROLLBOOK_DATA_DIR: fresh.directory, ...fresh.env })
      assert.equal(absent.code, 1)
      assert.equal(existsSync(join(fresh.directory, 'rollbook.db')), false)
    })
  })
}

const linkEnv = { ROLLBOOK_PUBLIC_URL: 'https://orchard.example/auth' }
