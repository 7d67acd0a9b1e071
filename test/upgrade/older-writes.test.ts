/** What each kept release writes on the schema of this one, as beside it during an upgrade and after the way back, must be read. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { version } from '../../src/core/version.ts'
import { makeDirectory, type Service, startService } from '../durability/process.ts'
import { engines } from '../harness.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { freshSchema } from '../postgres.ts'
import { keptBefore, newestKeptBefore, unpackOldRelease } from './releases.ts'

const password = 'a moth in relay seventy'

// biome-ignore lint/suspicious/noExplicitAny: whatever was answered.
type Answer = any

async function request(node: Service, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
  const response = await node.call(method, path, body, headers)
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return /[/+]json\b/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}

/** Only an import may say that an address is verified. */
async function imported(node: Service, row: { username: string } & Record<string, unknown>): Promise<Answer> {
  await request(node, 'POST', '/users/import', row, { 'content-type': 'application/x-ndjson' })
  const [user] = await request(node, 'GET', `/users?username=${row.username}`)
  return user
}

type Cast = Record<'ada' | 'grace' | 'mary' | 'joan', Answer> & { connection: Answer; group: Answer }

/** Users with all that only this release can give them. */
async function prepare(node: Service): Promise<Cast> {
  await request(node, 'POST', '/attributes', { name: 'team', type: 'string', searchable: true })
  const create = (username: string, more = {}) =>
    request(node, 'POST', '/users', { username, attributes: { team: `of ${username}` }, locale: 'de', ...more })
  const connection = await request(node, 'POST', '/provisioning', { name: 'okta', profile: 'okta' })
  const scim = { 'x-api-key': connection.key, 'content-type': 'application/scim+json' }
  const managed = await request(
    node,
    'POST',
    '/scim/v2/Users',
    { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'mary', active: true },
    scim,
  )
  const joan = await create('joan', { email: 'joan@example.com' })
  const group = await request(node, 'POST', '/groups', { name: 'Navy' })
  await request(node, 'PUT', `/groups/${group.group_id}/members/${joan.user_id}`)
  return {
    group,
    ada: await create('ada', { email: 'ada@example.com', password, role: 'admin' }),
    grace: await imported(node, { username: 'grace', email: 'grace@example.com', email_verified: true }),
    mary: { user_id: managed.id },
    joan,
    connection,
  }
}

/** Every write that the old release knows. Those of a later release than its own are skipped: it has no such path. */
async function writeAll(
  node: Service,
  { ada, grace, mary, joan }: Cast,
  knows: (path: string) => boolean,
): Promise<void> {
  const override = knows('/provisioning') ? '?override=true' : ''
  for (const { user_id } of [ada, grace, mary, joan])
    await request(node, 'PATCH', `/users/${user_id}${override}`, { last_name: 'Old' })
  await request(node, 'PATCH', `/users/${grace.user_id}`, { email: 'hopper@example.com' })
  await request(node, 'PATCH', `/users/${joan.user_id}`, { active: false })
  await request(node, 'PATCH', `/users/${joan.user_id}`, { active: true, role: 'admin' })
  await request(
    node,
    'POST',
    '/users',
    { username: 'bob', email: 'bob@example.com' },
    { 'idempotency-key': 'bob-once' },
  )
  const left = await request(node, 'POST', '/users', { username: 'left' })
  await request(node, 'DELETE', `/users/${left.user_id}`)
  const { key_id } = await request(node, 'POST', '/keys', { name: 'old', permissions: ['users:read'] })
  await request(node, 'POST', `/keys/${key_id}/rotate`)
  if (!knows('/sessions')) return

  // As after a sign-in: the time of the last one is in the document.
  const session = await node.call('POST', '/sessions', { username: 'ada', password })
  assert.equal(session.status, 201, await session.text())
  const cookie = session.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ')
  const changed = await fetch(`${node.url}/me`, {
    method: 'PATCH',
    headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: '{"first_name":"Ada"}',
  })
  assert.equal(changed.status, 200, await changed.text())
  await request(node, 'POST', `/users/${grace.user_id}/password`, { password: 'nanoseconds on a string' })
  await request(node, 'POST', `/users/${joan.user_id}/password`, {
    password: 'another moth in a relay',
    must_change: true,
  })
  await request(node, 'DELETE', `/users/${joan.user_id}/sessions`)
  await request(node, 'DELETE', `/users/${joan.user_id}/lock`)
  await request(node, 'DELETE', `/users/${joan.user_id}`)
  const again = await request(node, 'POST', '/users', { username: 'again' })
  await request(node, 'DELETE', `/users/${again.user_id}`)
  await request(node, 'POST', `/users/${again.user_id}/restore`)
  await request(node, 'POST', '/users/bulk', { action: 'deactivate', user_ids: [again.user_id] })
  await imported(node, { username: 'imported' })
  const hook = await request(node, 'POST', '/webhooks', { url: 'https://hooks.example.com/x' })
  await request(node, 'PATCH', `/webhooks/${hook.endpoint_id}`, { active: false })
  await request(node, 'POST', `/webhooks/${hook.endpoint_id}/rotate-secret`)
  await request(node, 'POST', '/signing-keys/rotate')
  await request(node, 'POST', '/token')
}

const placeholders = /\{(\w+)\}/

/** Reads everything that can be read: each GET of the document without a parameter in its path, and each user in each way. */
async function readAll(node: Service): Promise<void> {
  const { paths } = await request(node, 'GET', '/openapi.json')
  const failures: string[] = []
  // Without a credential of a person, or for what this store does not have.
  const expected = new Set(['/me', '/me/factors', '/setup', '/sessions'])
  async function read(path: string, headers = {}): Promise<void> {
    const response = await node.call('GET', path, undefined, headers)
    const text = await response.text()
    if (response.status >= 500) failures.push(`${path}: ${response.status} ${text}`)
    else if (!response.ok && !expected.has(path) && !path.startsWith('/me')) {
      if (![400, 401, 403, 404, 422].includes(response.status)) failures.push(`${path}: ${response.status} ${text}`)
    }
  }
  const users: Answer[] = await request(node, 'GET', '/users?limit=1000')
  const ids = users.map(({ user_id }) => user_id)
  for (const [path, operations] of Object.entries(paths as Record<string, Record<string, unknown>>)) {
    if (operations.get === undefined || path.includes('health')) continue
    if (!placeholders.test(path)) await read(path)
    else if (/^[^{]*\{user_id\}[^{]*$/.test(path)) {
      for (const id of ids) await read(path.replace(placeholders, id))
    }
  }
  for (const accept of ['text/csv', 'application/x-ndjson']) await read('/users', { accept })
  for (const id of ids) await read(`/scim/v2/Users/${id}`)
  assert.deepEqual(failures, [])
}

async function assertComplete(node: Service, cast: Cast): Promise<void> {
  for (const listed of [
    await request(node, 'GET', '/users?limit=1000'),
    (await request(node, 'GET', '/users', undefined, { accept: 'application/x-ndjson' }))
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line)),
    await request(node, 'GET', '/users?sort=username&q=a'),
  ]) {
    assert.ok(listed.length > 0)
    for (const user of listed) assert.equal(typeof user.attributes, 'object', JSON.stringify(user))
  }
  const ada = await request(node, 'GET', `/users/${cast.ada.user_id}`)
  assert.deepEqual([ada.attributes, ada.locale, ada.last_name], [{ team: 'of ada' }, 'de', 'Old'])
  const grace = await request(node, 'GET', `/users/${cast.grace.user_id}`)
  // The old release does not know that the new address is not verified.
  assert.deepEqual([grace.email, grace.email_verified ?? false], ['hopper@example.com', false])
  const mary = await request(node, 'GET', `/users/${cast.mary.user_id}`)
  assert.equal(mary.managed_by, cast.connection.connection_id)
}

const userNamed = async (node: Service, username: string): Promise<Answer> => {
  const [user] = await request(node, 'GET', `/users?username=${username}&include=groups`)
  return user
}

describe('memberships that end, beside a node of the previous release', () => {
  for (const engine of engines) {
    it(`give nothing on this node, and are removed for both: on ${engine.name}`, async (t) => {
      const old = await unpackOldRelease(newestKeptBefore(version))
      t.after(() => old.remove())
      const directory = makeDirectory(t)
      const database = engine.name === 'PostgreSQL' ? await freshSchema() : undefined
      if (database) t.after(() => database.drop())
      const env: Record<string, string> = database
        ? { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema }
        : {}
      const startThis = () => startService(t, { directory, env })
      const startOld = () => startService(t, { directory, env: { ...env, ...old.env }, through: old.through })
      let node = await startThis()
      const create = (username: string, more = {}) => request(node, 'POST', '/users', { username, ...more })
      await create('grace', { role: 'admin' })
      const { group_id } = await request(node, 'POST', '/groups', { name: 'Roots', role: 'admin' })
      const cast = { ending: await create('ending'), again: await create('again'), lasting: await create('lasting') }
      const pathOf = ({ user_id }: Answer) => `/groups/${group_id}/members/${user_id}`
      const later = new Date(Date.now() + 3_600_000).toISOString()
      await request(node, 'PUT', pathOf(cast.ending), { expires_at: new Date(Date.now() + 1500).toISOString() })
      await request(node, 'PUT', pathOf(cast.again), { expires_at: later })
      await request(node, 'PUT', pathOf(cast.lasting))
      const isMember = async (one: Service, { user_id }: Answer): Promise<boolean> => {
        const members: Answer[] = await request(one, 'GET', `/groups/${group_id}/members?limit=100`)
        return members.some((member) => member.user_id === user_id)
      }
      // The node of this release removes what has ended; the old one, which does not know of ends, reads the same rows.
      await waitUntil('the membership is removed', 20_000, async () => !(await isMember(node, cast.ending)))
      if (database === undefined) await node.end('SIGTERM')
      const older = await startOld()
      assert.equal(await isMember(older, cast.ending), false)
      assert.deepEqual((await userNamed(older, 'ending')).effective_roles ?? ['user'], ['user'])
      // A membership that the old node removes and adds again has no end: the date went with the row.
      await request(older, 'DELETE', pathOf(cast.again))
      await request(older, 'PUT', pathOf(cast.again))
      await request(older, 'DELETE', pathOf(cast.lasting))
      await older.end('SIGTERM')
      if (database === undefined) node = await startThis()
      const groups: Answer[] = await request(node, 'GET', `/users/${cast.again.user_id}/groups`)
      assert.deepEqual(
        groups.map(({ name, expires_at }) => [name, expires_at]),
        [['Roots', undefined]],
      )
      // Until this node writes the user's groups, it does not count them as an administrator who remains: the safe side.
      await request(node, 'PUT', pathOf(cast.lasting), { expires_at: later })
      await request(node, 'DELETE', pathOf(cast.again))
      await request(node, 'PUT', pathOf(cast.again))
      await request(node, 'PATCH', `/users/${(await userNamed(node, 'grace')).user_id}`, { role: 'user' })
      const refused = await node.call('DELETE', pathOf(cast.again))
      assert.equal(refused.status, 409, await refused.text())
    })
  }
})

describe('writes of an older release on this schema', () => {
  for (const release of keptBefore(version)) {
    for (const engine of engines) {
      it(`are read by this release: ${release}, on ${engine.name}`, async (t) => {
        const old = await unpackOldRelease(release)
        t.after(() => old.remove())
        const directory = makeDirectory(t)
        const database = engine.name === 'PostgreSQL' ? await freshSchema() : undefined
        if (database) t.after(() => database.drop())
        const env: Record<string, string> = database
          ? { ROLLBOOK_DATABASE_URL: database.url, ROLLBOOK_DATABASE_SCHEMA: database.schema }
          : {}
        const ofOld = { directory, env: { ...env, ...old.env }, through: old.through }
        const startThis = () => startService(t, { directory, env })

        let node = await startThis()
        const cast = await prepare(node)
        // On PostgreSQL the old node works beside this one, as during an upgrade; on SQLite after it.
        if (database === undefined) await node.end('SIGTERM')
        const older = await startService(t, ofOld).catch((error: Error) => error)
        if (older instanceof Error) {
          // More than one release back, it may refuse the store. Otherwise everything below must hold for it too.
          assert.match(older.message, /The store was migrated by a newer release/)
          assert.notEqual(release, newestKeptBefore(version))
          return
        }
        const { paths } = await request(older, 'GET', '/openapi.json')
        await writeAll(older, cast, (path) => path in paths)
        if (database !== undefined) await assertComplete(node, cast)
        await older.end('SIGTERM')
        if (database === undefined) node = await startThis()
        await assertComplete(node, cast)
        await readAll(node)

        if ('/sessions' in paths) {
          assert.equal((await request(node, 'GET', `/groups/${cast.group.group_id}`)).member_count, 0)
          const joan = await request(node, 'POST', `/users/${cast.joan.user_id}/restore`)
          assert.deepEqual([joan.attributes, joan.locale], [{ team: 'of joan' }, 'de'], 'deleted by the old release')
          assert.equal((await request(node, 'GET', `/users?attributes.team=of joan`)).length, 1)
          const session = await node.call('POST', '/sessions', {
            username: 'grace',
            password: 'nanoseconds on a string',
          })
          assert.equal(session.status, 201, await session.text())
          const cookie = session.headers
            .getSetCookie()
            .map((one) => one.split(';', 1)[0])
            .join('; ')
          const me = await fetch(`${node.url}/me`, { headers: { cookie } })
          assert.equal(me.status, 200, await me.text())
        }
        const replayed = await request(
          node,
          'POST',
          '/users',
          { username: 'bob', email: 'bob@example.com' },
          { 'idempotency-key': 'bob-once' },
        )
        assert.equal(replayed.username, 'bob')
      })
    }
  }
})
