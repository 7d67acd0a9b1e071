import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { combinations } from '../cases.ts'
import { adminKey, anyEngine, createUser, engines, type Started, start } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'
import { createPerson } from '../people.ts'
import { accessTable, publicRoutes, scimRoutes, unknownId } from './access-table.ts'
import { type Caller, everyCaller, roles } from './callers.ts'
import { everything, startWatched } from './watched.ts'

const env = {
  ...mailEnv,
  ROLLBOOK_ROLES: JSON.stringify(roles),
  ROLLBOOK_RATE_LIMIT: '0',
  ROLLBOOK_HASH_QUEUE: '1000',
  ROLLBOOK_SECOND_FACTOR: '{"group:Bound":"required"}',
}

/** What the ids in the paths stand for: a user without rank, and sessions, factors and deliveries that do not exist. */
const ids = {
  user_id: '',
  deleted_user_id: '',
  new_user_id: '',
  session_id: unknownId,
  factor_id: unknownId,
  browser_id: unknownId,
  group_id: '',
  organization_id: '',
  setup_link_id: '',
  domain: 'target.example',
  connection_id: '',
  name: 'target',
  // Not named like the group, which would give it.
  role: 'known-role',
  key_id: '',
  endpoint_id: '',
  mail_id: unknownId,
  request_id: unknownId,
  delivery_id: unknownId,
  job_id: '',
}

/** How many requests of a caller are sent at once. */
const atOnce = 8

type Operation = { id: string; method: string; path: string }

function operationsOf({ document }: Started): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
    })),
  )
}

type Verdict = [status: number, code: string] | 'let through'

/** What should come of it, from the table alone. */
function verdict(caller: Caller, { id, method }: Operation): Verdict {
  const row = accessTable[id]
  assert.ok(row, `${id} is not in the table of what each operation needs`)
  const { needs, oneOf, also = needs, during = [], recent, everyRole, byPersonalKey, createsKey } = row
  const isBySession = caller.isPerson && !caller.isAccessToken && !caller.isPersonalKey
  if (needs === 'public') return 'let through'
  if (caller.refused) return [caller.refused === 'ambiguous_credentials' ? 400 : 401, caller.refused]
  if (caller.isCrossOrigin && method !== 'GET' && method !== 'HEAD') return [403, 'cross_origin']
  // In this order: while a factor is missing, the password does not matter.
  const duty = caller.mustAddFactor ? 'add_factor' : caller.mustChange ? 'change_password' : undefined
  if (duty !== undefined && !during.includes(duty)) {
    return [403, duty === 'add_factor' ? 'factor_required' : 'password_change_required']
  }
  if (id === 'issue_token_token_post' && caller.isAccessToken) return [403, 'token_not_exchangeable']
  const stale: Verdict | undefined =
    caller.isStale && recent
      ? caller.isAccessToken
        ? [401, 'insufficient_user_authentication']
        : [403, 'reauthentication_required']
      : undefined
  const holds = (word: string) => caller.permissions.includes(word) || caller.permissions.includes('*')
  if (needs === 'any') {
    if (oneOf === undefined) return 'let through'
    return stale ?? (oneOf.some(holds) ? 'let through' : [403, 'permission_denied'])
  }
  if (needs === 'user') {
    if (!caller.isPerson || (caller.isPersonalKey && !byPersonalKey)) return [403, 'user_required']
    if (caller.isNarrowed && method !== 'GET' && method !== 'HEAD') return [403, 'permission_denied']
    return stale ?? 'let through'
  }
  if (!holds(needs)) return [403, 'permission_denied']
  if (stale) return stale
  if (createsKey && caller.isPersonalKey) return [403, 'key_outlives_caller']
  if (row.notByPersonalKey && caller.isPersonalKey) return [403, 'user_required']
  if (row.bySession && !isBySession) return [403, 'user_required']
  if (everyRole && !caller.permissions.includes('*')) return [403, 'role_not_grantable']
  return holds(also) ? 'let through' : [403, 'permission_denied']
}

function call(app: Started, { headers }: Caller, { id, method, path }: Operation) {
  const { body, type, query = '', noDryRun, ofDeleted, ofNewUser } = accessTable[id] ?? {}
  const isRead = method === 'GET' || method === 'HEAD'
  const user_id = ofDeleted ? ids.deleted_user_id : ofNewUser ? ids.new_user_id : ids.user_id
  const here = { ...ids, user_id }
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => here[name as keyof typeof ids])
  return app.call(method, isRead || noDryRun ? url + query : `${url}?dry_run=true`, {
    key: null,
    headers: { ...headers, ...(type !== undefined && { 'content-type': type }) },
    body,
  })
}

async function createGroup(app: Started): Promise<string> {
  const { status, body } = await app.call('POST', '/groups', { body: { name: 'target' } })
  assert.equal(status, 201)
  return body.group_id
}

async function createOrganization(app: Started): Promise<string> {
  const { status, body } = await app.call('POST', '/organizations', { body: { name: 'target' } })
  assert.equal(status, 201)
  const stated = { domain: ids.domain, verified: true }
  const added = await app.call('POST', `/organizations/${body.organization_id}/domains`, { body: stated })
  assert.equal(added.status, 201)
  return body.organization_id
}

async function createSetupLink(app: Started): Promise<string> {
  const path = `/organizations/${ids.organization_id}/setup-links`
  const { status, body } = await app.call('POST', path, { body: { features: ['domains'] } })
  assert.equal(status, 201)
  return body.setup_link_id
}

async function createAttribute(app: Started): Promise<void> {
  const { status } = await app.call('POST', '/attributes', { body: { name: ids.name, type: 'string' } })
  assert.equal(status, 201)
}

async function createRole(app: Started): Promise<void> {
  const { status } = await app.call('POST', '/roles', { body: { role: ids.role, permissions: [] } })
  assert.equal(status, 201)
}

async function createEndpoint(app: Started): Promise<string> {
  const { status, body, text } = await app.call('POST', '/webhooks', { body: { url: 'https://receiver.example/' } })
  assert.equal(status, 201, text)
  return body.endpoint_id
}

async function createImport(app: Started): Promise<string> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const { status, body, text } = await app.call('POST', '/users/import?complete=false', { headers, body: '' })
  assert.equal(status, 200, text)
  return body.job_id
}

async function createConnection(app: Started): Promise<string> {
  const { status, body, text } = await app.call('POST', '/provisioning', { body: { name: 'target' } })
  assert.equal(status, 201, text)
  return body.connection_id
}

async function createDeleted(app: Started): Promise<string> {
  const { user_id } = await createPerson(app)
  assert.equal((await app.call('DELETE', `/users/${user_id}`)).status, 200)
  return user_id
}

describe('what each operation needs', () => {
  it('is written down here for each of them, and for nothing else', async (t) => {
    const app = await start(t, anyEngine)
    const found = operationsOf(app).map(({ id }) => id)
    assert.deepEqual(found.toSorted(), Object.keys(accessTable).toSorted())
  })

  it('is known for every registered route: it is an operation, or on the list of public ones', async (t) => {
    const { app, registered } = await startWatched(t, anyEngine)
    const known = new Set([...publicRoutes, ...scimRoutes])
    for (const { method, path } of operationsOf(app)) known.add(`${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
    const atRoot = registered.filter(({ url }) => !url.startsWith('/auth'))
    // What browsers ask the origin for; the same is below the prefix.
    assert.deepEqual([...new Set(atRoot.map(({ url }) => url))].toSorted(), [
      '/.well-known/change-password',
      '/.well-known/passkey-endpoints',
      '/.well-known/webauthn',
    ])
    const found = registered.flatMap(({ method, url }) => {
      if (!url.startsWith('/auth')) return []
      const methods = [method].flat()
      return (methods.length > 10 ? ['ANY'] : methods.filter((one) => one !== 'HEAD')).map(
        (one) => `${one} ${url.slice(5)}`,
      )
    })
    assert.deepEqual([...new Set(found)].toSorted(), [...known].toSorted())
  })
})

describe('a method that no operation uses', () => {
  it('is refused for all callers, with the list of methods that exist', async (t) => {
    const app = await start(t, anyEngine, { env })
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
    for (const [path, operations] of Object.entries(app.document.paths)) {
      const url = path.replaceAll(/\{\w+\}/g, ids.session_id)
      const there = Object.keys(operations).map((method) => method.toUpperCase())
      const allow = [...there, ...(there.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
      for (const method of methods.filter((one) => !there.includes(one))) {
        for (const headers of [{}, { 'x-api-key': adminKey }]) {
          const response = await app.call(method, url, { key: null, headers })
          assert.deepEqual([response.status, response.headers.allow], [405, allow], `${method} ${path}`)
        }
      }
    }
  })

  it('is refused at a path without operations too, and however a path is spelled', async (t) => {
    const app = await start(t, anyEngine, { env })
    for (const [path, allow] of [
      ['/', 'GET, HEAD'],
      ['/console/users', 'GET, HEAD'],
      ['/users/%65xport', 'POST'],
      ['/scim/v2/users/.search', 'POST'],
    ] as const) {
      const response = await app.call('PUT', path)
      assert.deepEqual([response.status, response.headers.allow], [405, allow], path)
    }
    assert.equal((await app.call('GET', '/users/export')).status, 405)
  })
})

/** What the ids of paths name. */
async function createTargets(app: Started): Promise<void> {
  ids.user_id = (await createPerson(app, { username: 'target' })).user_id
  const target = await app.call('POST', '/keys', { body: { name: 'target', permissions: ['keys:write'] } })
  ids.key_id = target.body.key_id
  ids.group_id = await createGroup(app)
  ids.organization_id = await createOrganization(app)
  ids.setup_link_id = await createSetupLink(app)
  ids.connection_id = await createConnection(app)
  await createAttribute(app)
  await createRole(app)
  ids.endpoint_id = await createEndpoint(app)
  ids.deleted_user_id = await createDeleted(app)
  ids.new_user_id = (await createUser(app)).user_id as string
  ids.job_id = await createImport(app)
}

for (const engine of engines) {
  describe(`every operation, called in every way, on ${engine.name}`, () => {
    it('is refused to callers who lack what it needs, allowed to others, and changes nothing in a dry run', async (t) => {
      const app = await start(t, engine, { env })
      await createPerson(app, { username: 'visitor' })
      await createTargets(app)
      const all = await everyCaller(app)
      assert.equal(new Set(all.map(({ name }) => name)).size, all.length)
      // The same code asks both engines. On the first one each permission is tried alone and missing, with one kind of credential;
      // the second one, in test:rest, has the other kind too.
      const callers = engine === anyEngine ? all.filter(({ isRepetition }) => !isRepetition) : combinations(all)
      const before = await everything(app)
      assert.ok(before.length > 50)

      const counts = { refused: 0, 'let through': 0 }
      const operations = operationsOf(app).filter(({ id }) => {
        // A sign-in would take the place of the caller's own session, and leaves another.
        const isSignIn = accessTable[id]?.noDryRun && accessTable[id]?.needs === 'public'
        return !isSignIn
      })
      const requests = operations.flatMap((operation) =>
        (operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]).map((method) => ({ ...operation, method })),
      )
      for (const caller of callers) {
        const request = async (operation: Operation) => {
          const { method } = operation
          const at = `${caller.name}: ${method} ${operation.path}`
          const expected = verdict(caller, operation)
          const { status, body, text } = await call(app, caller, operation)
          if (expected === 'let through') {
            assert.ok(status < 500 && ![401, 403].includes(status), `${at} answered ${status} ${text}`)
            counts['let through']++
          } else {
            assert.deepEqual(
              [status, ...(method === 'HEAD' ? [] : [body.code])],
              expected.slice(0, method === 'HEAD' ? 1 : 2),
              at,
            )
            counts.refused++
          }
        }
        // Side by side, as it costs less: none of them changes what another one may do.
        // HEAD is decided with GET, so keys do without it.
        const mine =
          caller.isPerson || engine !== anyEngine ? requests : requests.filter(({ method }) => method !== 'HEAD')
        for (let i = 0; i < mine.length; i += atOnce) await Promise.all(mine.slice(i, i + atOnce).map(request))
        assert.deepEqual(await everything(app), before, caller.name)
      }
      // So that nothing of this passes because nothing of it ran.
      if (callers.length === all.length) assert.ok(counts.refused > 1000 && counts['let through'] > 500)
      else assert.ok(counts.refused + counts['let through'] > 1000, JSON.stringify(counts))
    })

    it('is allowed with a valid body, so that no refusal above had another cause', async (t) => {
      const app = await start(t, engine, { env })
      await createTargets(app)
      const callers = await everyCaller(app)
      const [person] = callers.filter(({ name }) => name === 'session of admin')
      assert.ok(person)
      for (const operation of operationsOf(app)) {
        if (accessTable[operation.id]?.needs === 'public') continue
        const { status, text } = await call(app, person, operation)
        const isNobodys = /\{(session|delivery|mail|factor|browser)_id\}/.test(operation.path)
        const { allowedStatus = isNobodys ? 404 : 200 } = accessTable[operation.id] ?? {}
        assert.equal(status, allowedStatus, `${operation.id}: ${text}`)
      }
    })
  })
}
