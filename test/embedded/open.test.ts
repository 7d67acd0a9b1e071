import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import express from 'express'
import { openRollbook } from '../../src/app/embedded/open.ts'
import { RollbookClient } from '../../src/sdk/client/index.ts'
import { guard } from '../../src/sdk/verify/express.ts'
import { createVerifier, VerifyError } from '../../src/sdk/verify/index.ts'
import { makeDirectory, makePlace, startService } from '../durability/process.ts'
import { adminKey, anyEngine, engines } from '../harness.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { password } from '../people.ts'
import { assertWithin } from '../time-limit.ts'
import { type Program, startProgram } from './embedding.ts'

const engine = anyEngine
const roles = { ROLLBOOK_ROLES: '{"analyst": ["reports:read"]}' }

type Json = Record<string, unknown>

async function jsonOf(response: Response): Promise<Json> {
  return (await response.json()) as Json
}

/** A signed-in user: the id, the session cookie, and an access token. */
async function signIn({ call }: Pick<Program, 'call'>, username: string, role = 'analyst') {
  const created = await call('POST', '/auth/users', { body: { username, password, role } })
  const { user_id } = await jsonOf(created)
  const session = await call('POST', '/auth/sessions', { body: { username, password }, headers: {} })
  assert.equal(session.status, 201)
  const cookie = session.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  const issued = await call('POST', '/auth/token', { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  const { access_token } = await jsonOf(issued)
  return { user_id: user_id as string, cookie, token: access_token as string }
}

function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'accepted',
    (error) => (error instanceof VerifyError ? error.code : String(error)),
  )
}

for (const engine of engines) {
  describe(`openRollbook on ${engine.name}`, () => {
    it('verifies tokens, keys and cookies without HTTP, as rollbook/verify does with it', async (t) => {
      const program = await startProgram(t, engine, { settings: roles })
      const { rollbook, settings } = program
      const { user_id, cookie, token } = await signIn(program, 'ada')
      const created = await program.call('POST', '/auth/keys', { body: { name: 'app', permissions: ['reports:read'] } })
      const key = (await jsonOf(created)).key as string
      const verifier = createVerifier({
        issuer: settings.ROLLBOOK_PUBLIC_URL as string,
        key: adminKey,
        fetch: rollbook.fetch,
      })
      t.after(() => verifier.close())
      await waitUntil('the feed is followed', 10_000, async () => verifier.current())

      const session = { method: 'GET', headers: { cookie } }
      for (const request of [session, { headers: { authorization: `Bearer ${key}` } }]) {
        const [own, other] = await Promise.all([rollbook.verify(request), verifier.verify(request)])
        assert.deepEqual(own, other)
        assert.deepEqual(own.claims, other.claims)
      }
      const byToken = await rollbook.verify(token, 'reports:read')
      assert.deepEqual(
        [byToken.kind, byToken.id, byToken.username, byToken.role, byToken.permissions],
        ['user', user_id, 'ada', 'analyst', ['reports:read']],
      )
      const wrong: [Parameters<typeof rollbook.verify>[0], ...([] | [string | { acr: 'aal2' }])][] = [
        [{ headers: {} }],
        [{ headers: { authorization: 'Basic eA==' } }],
        [{ headers: { authorization: `Bearer ${token}x` } }],
        [{ headers: { authorization: `Bearer ${token}`, cookie } }],
        [{ method: 'POST', headers: { cookie, 'sec-fetch-site': 'cross-site' } }],
        [{ headers: { 'x-api-key': token } }],
        [session, 'reports:write'],
        [session, { acr: 'aal2' }],
      ]
      for (const [request, ...needs] of wrong) {
        const own = await rollbook.verify(request, ...needs).catch((error) => error)
        const other = await verifier
          .verify(request as { headers: Record<string, string> }, ...needs)
          .catch((error) => error)
        assert.ok(own instanceof VerifyError, JSON.stringify(request))
        // A forged token has more ways to be described.
        assert.deepEqual({ ...own.toProblem(), detail: '' }, { ...other.toProblem(), detail: '' })
        assert.deepEqual(own.headers, other.headers)
      }

      // At once when what the role permits is changed, also by the operations of this program.
      const own = await program.call('POST', '/auth/roles', { body: { role: 'press', permissions: ['a:read'] } })
      assert.equal(own.status, 201)
      const press = await signIn(program, 'pia', 'press')
      const ofPress = { method: 'GET', headers: { cookie: press.cookie } }
      assert.deepEqual((await rollbook.verify(ofPress)).permissions, ['a:read'])
      const raised = { permissions: ['a:read', 'b:read'] }
      assert.equal((await program.call('PATCH', '/auth/roles/press', { body: raised })).status, 200)
      assert.deepEqual((await rollbook.verify(ofPress)).permissions, raised.permissions)
      assert.equal(await codeOf(rollbook.verify(press.token)), 'credential_invalid')

      // At the instant of an end date, without a further request. The service compares with its own clock.
      const temporary = await signIn(program, 'temp')
      const endMs = Date.now() + 500
      const body = { expires_at: new Date(endMs).toISOString() }
      assert.equal((await program.call('PATCH', `/auth/users/${temporary.user_id}`, { body })).status, 200)
      const ofTemporary = { method: 'GET', headers: { cookie: temporary.cookie } }
      await waitUntil('the access ends', 30_000, async () => {
        const askedMs = Date.now()
        const code = await codeOf(rollbook.verify(ofTemporary))
        // However slow the machine is.
        assert.ok(code === 'accepted' ? askedMs < endMs : code === 'credential_invalid' && Date.now() >= endMs, code)
        return code !== 'accepted'
      })

      await program.call('PATCH', `/auth/users/${user_id}`, { body: { active: false } })
      assert.equal(await codeOf(rollbook.verify(token)), 'credential_invalid')
      assert.equal(await codeOf(rollbook.verify(session)), 'credential_invalid')
      await rollbook.close()
      assert.equal(await codeOf(rollbook.verify(key)), 'verification_unavailable')
    })
  })
}

describe('openRollbook', () => {
  it('names every faulty setting, and those of a server of its own', async () => {
    const faultsOf = async (settings: object): Promise<string[]> => {
      const error = await openRollbook(settings).catch((refusal) => refusal)
      return error.faults
    }
    assert.match((await faultsOf({})).join(), /^ROLLBOOK_PUBLIC_URL is missing/)
    const [port, host, ...others] = (
      await faultsOf({
        ROLLBOOK_PUBLIC_URL: 'https://orchard.example.com/auth',
        ROLLBOOK_PORT: '9000',
        ROLLBOOK_HOST: '::',
      })
    ).toReversed()
    assert.match(port ?? '', /^ROLLBOOK_PORT configures a server of Rollbook's own/)
    assert.match(host ?? '', /^ROLLBOOK_HOST configures/)
    assert.deepEqual(others, [])
    assert.match((await faultsOf({ ROLLBOOK_PUBLIC_URI: 'x' })).join(), /Did you mean ROLLBOOK_PUBLIC_URL/)
  })

  it('refuses a store that it has already opened, and opens it again after a close', async (t) => {
    const { settings, rollbook } = await startProgram(t, { name: 'SQLite' })
    await assert.rejects(openRollbook(settings), /is in use by another Rollbook/)
    await rollbook.close()
    const again = await openRollbook(settings)
    await again.close()
  })

  it('serves its own program: the client and a stream that is cancelled or aborted', async (t) => {
    const { rollbook, settings } = await startProgram(t, engine)
    const url = settings.ROLLBOOK_PUBLIC_URL as string
    const client = new RollbookClient({ url, apiKey: adminKey, fetch: rollbook.fetch })
    const { username } = await client.users.create({ username: 'ada' })
    assert.equal(username, 'ada')
    const headers = { 'x-api-key': adminKey, accept: 'text/event-stream' }
    const cancelled = await rollbook.fetch(`${url}/events`, { headers })
    const reader = cancelled.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    const abort = new AbortController()
    const aborted = await rollbook.fetch(`${url}/events`, { headers, signal: abort.signal })
    abort.abort(new Error('enough'))
    await assert.rejects(aborted.text(), /enough/)
    await assert.rejects(rollbook.fetch(`${url}/events`, { headers, signal: abort.signal }), /enough/)
    const uploading = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('{"username":"bob"}\n'))
        setImmediate(() => controller.error(new Error('the source failed')))
      },
    })
    const upload = { method: 'POST', body: uploading, duplex: 'half' } as const
    const typed = { 'x-api-key': adminKey, 'content-type': 'application/x-ndjson' }
    await assert.rejects(rollbook.fetch(`${url}/users/import`, { ...upload, headers: typed }), /the source failed/)
    // It waits for running requests: a stream that was left open would hold it up.
    const begun = performance.now()
    await rollbook.close()
    assertWithin(8000, begun, 'the close')
  })

  it('holds back a list that its program does not read', async (t) => {
    const { rollbook, settings, call } = await startProgram(t, engine)
    const rows = Array.from({ length: 20_000 }, (_, i) => `{"username":"user-${i}","first_name":"${'x'.repeat(60)}"}\n`)
    const headers = { 'x-api-key': adminKey, 'content-type': 'application/x-ndjson' }
    await call('POST', '/auth/users/import', { body: rows.join(''), headers })
    let written = 0
    const listed = await rollbook.fetch(`${settings.ROLLBOOK_PUBLIC_URL}/users`, { headers })
    const reader = (listed.body as ReadableStream<Uint8Array>).getReader()
    written += (await reader.read()).value?.length ?? 0
    await new Promise((resolve) => setTimeout(resolve, 500))
    const before = process.memoryUsage().arrayBuffers
    for (let part = await reader.read(); !part.done; part = await reader.read()) written += part.value.length
    assert.ok(written > 5_000_000, `${written}`)
    assert.ok(before < 40_000_000, `${before} bytes were held`)
  })

  it('answers with a reason if the body was read before', async (t) => {
    const way = (rollbook: Program['rollbook']) => express().use(express.json()).use('/auth', rollbook.handler)
    const { call } = await startProgram(t, engine, { way })
    const refused = await call('POST', '/auth/users', { body: { username: 'ada' } })
    assert.equal(refused.status, 500)
    assert.match((await jsonOf(refused)).detail as string, /before body parsers such as express.json/)
    assert.equal((await call('GET', '/auth/users')).status, 200)
  })

  it('is a verifier for the guards of rollbook/verify', async (t) => {
    const way = (rollbook: Program['rollbook']) => {
      const requires = guard(rollbook)
      return express()
        .use('/auth', rollbook.handler)
        .get('/reports', requires('reports:read'), ({ caller }, response) => void response.json(caller.username))
    }
    const program = await startProgram(t, engine, { way, settings: roles })
    const { token } = await signIn(program, 'ada')
    const allowed = await program.call('GET', '/reports', { headers: { authorization: `Bearer ${token}` } })
    assert.equal(await allowed.json(), 'ada')
    const refused = await program.call('GET', '/reports', { headers: {} })
    assert.deepEqual([refused.status, (await jsonOf(refused)).code], [401, 'credential_missing'])
  })

  it('notices when a client leaves', async (t) => {
    const { origin, rollbook } = await startProgram(t, engine)
    const headers = { 'x-api-key': adminKey, accept: 'text/event-stream' }
    const request = send(`${origin}/auth/events`, { headers }).end()
    await new Promise((resolve) => request.once('response', resolve))
    request.on('error', () => {}).destroy()
    const begun = performance.now()
    await rollbook.close()
    assertWithin(8000, begun, 'the close')
  })
})

const entry = new URL('../../src/app/embedded/open.ts', import.meta.url)

/** Runs a program on an empty directory. Returns what it wrote. */
async function run(t: TestContext, source: string, env: Record<string, string> = {}) {
  const directory = makeDirectory(t)
  const settings = {
    ROLLBOOK_PUBLIC_URL: 'http://localhost:3000/auth',
    ROLLBOOK_DATA_DIR: directory,
    ROLLBOOK_ADMIN_KEY: adminKey,
  }
  const file = join(directory, 'main.mjs')
  writeFileSync(file, `const settings = ${JSON.stringify(settings)}\n${source}`)
  return promisify(execFile)(process.execPath, [file], { env: { PATH: process.env.PATH, ...env }, timeout: 60_000 })
}

const opening = `const { openRollbook } = await import('${entry}')`

describe('a program that contains Rollbook', () => {
  it('keeps its process: no output, no signal handlers, no other globals, no settings from the environment, and an end', async (t) => {
    const source = `${opening}
      const listeners = () => process.eventNames().flatMap((name) => process.listeners(name)).length
      const [before, names, environment] = [listeners(), Object.keys(globalThis).length, JSON.stringify(process.env)]
      const rollbook = await openRollbook(settings)
      const headers = { 'x-api-key': settings.ROLLBOOK_ADMIN_KEY }
      const response = await rollbook.fetch(settings.ROLLBOOK_PUBLIC_URL + '/users', { headers })
      await response.text()
      const same = listeners() === before && Object.keys(globalThis).length === names && JSON.stringify(process.env) === environment
      await rollbook.close()
      console.log(response.status, same)`
    const { stdout, stderr } = await run(t, source, { ROLLBOOK_PORT: 'not a port', ROLLBOOK_LOG_LEVEL: 'loud' })
    assert.deepEqual([stdout, stderr], ['200 true\n', ''])
  })

  it('gets the log where it wants it', async (t) => {
    const source = `${opening}
      const rollbook = await openRollbook(settings, { log: process.stdout })
      await rollbook.close()`
    const { stdout } = await run(t, source)
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg)
    assert.deepEqual([messages[0], messages.at(-1)], ['storage migrated', 'stopped'])
  })

  it('loads nothing that few settings and requests need', async (t) => {
    const source = `import { registerHooks } from 'node:module'
      const loaded = new Set()
      registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) })
      ${opening}
      const rollbook = await openRollbook(settings)
      const headers = { 'x-api-key': settings.ROLLBOOK_ADMIN_KEY }
      await rollbook.fetch(settings.ROLLBOOK_PUBLIC_URL + '/users', { headers })
      await rollbook.close()
      console.log(JSON.stringify([...loaded]))`
    const { stdout } = await run(t, source)
    const packages = new Set([...stdout.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name))
    assert.ok(packages.has('fastify'))
    assert.deepEqual(
      [...packages].filter((name) => onFirstUse.includes(name as string)),
      [],
    )
  })
})

const onFirstUse = [
  'nodemailer',
  'openid-client',
  'ldapts',
  'xml-crypto',
  '@xmldom/xmldom',
  'otpauth',
  'uqr',
  '@simplewebauthn/server',
  'pg',
  'age-encryption',
  'csv-parse',
  'csv-stringify',
  'prom-client',
  '@fastify/http-proxy',
  'commander',
]

describe('a program that contains Rollbook, next to a stand-alone node on one PostgreSQL', () => {
  const postgres = engines.find(({ name }) => name === 'PostgreSQL')
  const skip = postgres === undefined && 'there is no PostgreSQL'

  it('has the same users, sessions and tokens, and both refuse a disabled user', { skip }, async (t) => {
    const place = await makePlace(t, { name: 'PostgreSQL' })
    const program = await startProgram(t, engine, {
      settings: roles,
      beside: { ...place.env, ROLLBOOK_DATA_DIR: place.directory, ROLLBOOK_ADMIN_KEY: adminKey },
    })
    const { ROLLBOOK_PUBLIC_URL = '' } = program.settings
    const env = { ...place.env, ...roles, ROLLBOOK_PUBLIC_URL }
    const node = await startService(t, { directory: place.directory, env })
    const { user_id, cookie, token } = await signIn(program, 'ada')
    const statusAtNode = async (headers: Record<string, string>) => (await fetch(`${node.url}/me`, { headers })).status
    assert.equal((await jsonOf(await node.call('GET', `/users/${user_id}`))).username, 'ada')
    assert.equal(await statusAtNode({ cookie }), 200)
    assert.equal(await statusAtNode({ authorization: `Bearer ${token}` }), 200)
    const created = await jsonOf(await node.call('POST', '/users', { username: 'bob' }))
    assert.equal((await program.call('GET', `/auth/users/${created.user_id}`)).status, 200)
    assert.equal((await program.rollbook.verify(token)).user_id, user_id)

    await node.call('PATCH', `/users/${user_id}`, { active: false })
    assert.equal(await statusAtNode({ cookie }), 401)
    await waitUntil('the program refuses the user', 1000, async () => {
      return (await codeOf(program.rollbook.verify(token))) === 'credential_invalid'
    })
    assert.equal((await program.call('GET', '/auth/me', { headers: { cookie } })).status, 401)
  })
})
