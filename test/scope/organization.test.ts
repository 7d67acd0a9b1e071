/** What queries return to a caller who is limited to an organization. They are called directly, as no role can hold such a permission yet. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import * as keys from '../../src/access/credentials/keys/keys.ts'
import * as connections from '../../src/access/providers/connections/connections.ts'
import * as requests from '../../src/access/sign-in/access-requests/decisions.ts'
import * as deletedUsers from '../../src/administration/deleted-users/deleted-users.ts'
import * as groups from '../../src/administration/groups/groups.ts'
import * as imports from '../../src/administration/imports/imports.ts'
import { matching } from '../../src/administration/users-list/list.ts'
import { planList } from '../../src/administration/users-list/plan.ts'
import type { Actor } from '../../src/core/actor.ts'
import { scopeOf } from '../../src/core/scope.ts'
import * as provisioning from '../../src/directory/provisioning/connections.ts'
import * as users from '../../src/directory/users/users.ts'
import { verifyStore } from '../../src/record/audit/verify-store.ts'
import * as mails from '../../src/record/mails/mails.ts'
import { daily } from '../../src/record/statistics/statistics.ts'
import { parseFilter } from '../../src/scim/filter/parser.ts'
import type { Context } from '../../src/store/context.ts'
import { createUser, type Engine, everyEngine, type Started, start } from '../harness.ts'
import { mailEnv } from '../mails/mailing.ts'

const [acme, globex, nobodys] = [1, 2, 3].map((n) => `019a9f3e-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
]

const actorOf = (limitedTo: string | undefined): Actor => ({
  ...({ kind: 'api_key', id: 'test', name: 'test', permissions: ['*'] } as const),
  ...(limitedTo !== undefined && { limitedTo }),
})

type Ids = { user_id: string; group_id: string; key_id: string; connection_id: string; provisioning_id: string }

/** The same of each kind for two organizations, and for none. */
async function fill(app: Started) {
  const filled = new Map<string | null, Ids>()
  const post = async (path: string, body: object) => {
    const response = await app.call('POST', path, { body })
    assert.equal(response.status, 201, response.text)
    return response.body
  }
  for (const [name, organization] of [
    ['acme', acme],
    ['globex', globex],
    ['none', null],
  ] as const) {
    const email = (of: string) => `${of}@${name}.example`
    const { user_id } = await createUser(app, { username: `ada-${name}`, email: email('ada'), last_name: 'Lovelace' })
    const { user_id: disabled } = await createUser(app, { username: `bob-${name}` })
    assert.equal((await app.call('PATCH', `/users/${disabled}`, { body: { active: false } })).status, 200)
    const { user_id: deleted } = await createUser(app, { username: `eve-${name}`, email: email('eve') })
    const { group_id } = await post('/groups', { name: `staff ${name}` })
    assert.equal((await app.call('PUT', `/groups/${group_id}/members/${user_id}`)).status, 200)
    const { key_id } = await post('/keys', { name: `key ${name}`, permissions: ['users:read'] })
    const { connection_id: provisioning_id } = await post('/provisioning', { name: `scim ${name}` })
    const oidc = { kind: 'oidc', issuer: `https://id.${name}.example`, client_id: 'rollbook' }
    const { connection_id } = await post('/connections', { name: `oidc ${name}`, ...oidc })
    assert.equal((await app.call('POST', `/users/${user_id}/invitation`, { body: {} })).status, 200)
    const headers = { 'content-type': 'application/x-ndjson' }
    const imported = await app.call('POST', '/users/import', { headers, body: '' })
    assert.equal((await app.call('DELETE', `/users/${deleted}`)).status, 200)
    filled.set(organization, {
      ...{ user_id: String(user_id), group_id, key_id, connection_id, provisioning_id },
    })
    if (organization === null) continue
    const within = (table: string, column: string, ...ids: unknown[]) =>
      app.runSql(`UPDATE ${table} SET organization_id = '${organization}' WHERE ${column} IN ('${ids.join("','")}')`)
    await within('users', 'user_id', user_id, disabled)
    await within('deleted_users', 'user_id', deleted)
    await within('user_groups', 'group_id', group_id)
    await within('api_keys', 'key_id', key_id)
    // A limited caller may change no other key.
    await app.runSql(`UPDATE api_keys SET permissions = '["users:read@organization"]' WHERE key_id = '${key_id}'`)
    await within('provisioning_connections', 'connection_id', provisioning_id)
    await within('sign_in_connections', 'connection_id', connection_id)
    await within('imports', 'job_id', imported.body.job_id)
  }
  return filled
}

async function open(t: TestContext, engine: Engine) {
  const app = await start(t, engine, { env: { ...mailEnv, ROLLBOOK_DELETION_GRACE_DAYS: '30' } })
  const { storage } = app
  const filled = await fill(app)
  const contextOf = (limitedTo?: string): Context => {
    return { actor: actorOf(limitedTo), now: Date.now(), requestId: 'test', rules: storage.rules, db: storage.db }
  }
  return { app, storage, filled, contextOf }
}

const nothing = () => undefined

for (const engine of everyEngine) {
  describe(`a call that is limited to an organization, on ${engine.name}`, () => {
    it('sees the users of the organization in every list, and no others', async (t) => {
      const { storage, contextOf } = await open(t, engine)
      const read = async (limitedTo: string | undefined, query: object) => {
        const { actor } = contextOf(limitedTo)
        const plan = planList(scopeOf(actor), { limit: 100, ...query }, 'json')
        const page = await storage.query('users.page', { ...plan, count: true }, { actor })
        const listed = (JSON.parse(Buffer.from(page.body).toString()) as { username: string }[]).map(
          (one) => one.username,
        )
        const ids = await storage.query('users.matching', { filters: plan.filters, limit: 100 }, { actor })
        assert.deepEqual([page.total, ids.length], [listed.length, listed.length], JSON.stringify([limitedTo, query]))
        const estimated = await storage.query('users.page', { ...plan, count: 'estimate' }, { actor })
        assert.equal(estimated.total, listed.length)
        const { limit: _, ...whole } = plan
        const snapshot = await storage.openSnapshot('users.list', { ...whole, format: 'ndjson' }, { actor })
        const pieces: Uint8Array[] = []
        for (let piece = await snapshot.next(); piece !== undefined; piece = await snapshot.next()) pieces.push(piece)
        await snapshot.close()
        const lines = Buffer.concat(pieces)
          .toString()
          .split('\n')
          .filter((line) => line !== '')
        assert.equal(lines.length, listed.length)
        return listed.toSorted()
      }
      const both = ['ada-acme', 'bob-acme']
      for (const sort of ['username', '-created_at', 'email', '-last_login_at']) {
        assert.deepEqual(await read(acme, { sort }), both)
      }
      assert.deepEqual(await read(acme, {}), both)
      assert.deepEqual(await read(acme, { q: 'lovelace' }), ['ada-acme'])
      assert.deepEqual(await read(acme, { q: 'ada' }), ['ada-acme'])
      assert.deepEqual(await read(acme, { q: 'ada', sort: 'username' }), ['ada-acme'])
      assert.deepEqual(await read(acme, { active: false }), ['bob-acme'])
      assert.deepEqual(await read(acme, { active: true, role: 'user', has_password: false }), ['ada-acme'])
      assert.deepEqual(await read(acme, { username: 'ada-globex' }), [])
      assert.deepEqual(await read(acme, { q: 'ada-globex' }), [])
      assert.deepEqual(await read(globex, { email: 'ada@globex.example' }), ['ada-globex'])
      assert.deepEqual(await read(nobodys, {}), [])
      assert.equal((await read(undefined, {})).length, 6)
    })

    it('finds users, groups, keys and connections of the organization by id, and no others', async (t) => {
      const { storage, filled, contextOf } = await open(t, engine)
      const ctx = contextOf(acme)
      const scope = scopeOf(ctx.actor)
      const finds: [keyof Ids, (id: string) => Promise<unknown>][] = [
        ['user_id', (id) => users.get(ctx, id)],
        ['user_id', (id) => users.getForChange(ctx, id, { part: 'row' })],
        ['group_id', (id) => groups.get(ctx, id)],
        ['connection_id', (id) => connections.get(ctx, id)],
        ['provisioning_id', (id) => provisioning.get(ctx, id)],
        ['key_id', (key_id) => change('keys.update', { key_id, input: {} })],
        ['user_id', (user_id) => change('users.update', { user_id, input: { first_name: 'X' }, expected: undefined })],
        ['group_id', (group_id) => change('groups.update', { group_id, input: {}, expected: undefined })],
      ]
      async function change(name: 'keys.update' | 'users.update' | 'groups.update', input: object): Promise<unknown> {
        const request = { actor: ctx.actor, now: Date.now(), requestId: 'test', dryRun: true }
        return storage.change(name, input as never, request)
      }
      for (const [kind, find] of finds) {
        for (const [organization, ids] of filled) {
          const found = await find(ids[kind]).then(
            () => 'found',
            (error: { code?: string }) => error.code,
          )
          if (organization === acme) assert.equal(found, 'found', kind)
          else assert.match(String(found), /^(user|group|key|connection)_not_found$/, `${kind} ${organization}`)
        }
      }
      assert.equal((await matching(storage.db, { filters: planList(scope, {}, 'json').filters, limit: 9 })).length, 2)
    })

    it('sees only what belongs to the organization in the other lists, searches and counts', async (t) => {
      const { app, storage, filled, contextOf } = await open(t, engine)
      const listed = async (limitedTo: string | undefined) => {
        const ctx = contextOf(limitedTo)
        const sort = { column: 'name_key', descending: false } as const
        const page = { filters: {}, sort, after: undefined, limit: 10 }
        const deleted = { filters: {}, sort: { column: 'deleted_at', descending: false } as const }
        const removed = await deletedUsers.list(ctx, { ...deleted, after: undefined, limit: 10, count: true })
        const closest = { q: 'Lovelase', scope: scopeOf(ctx.actor) }
        const { totals, ...counted } = await storage.query(
          'statistics.figures',
          { roles: [], now: ctx.now, scope: scopeOf(ctx.actor) },
          { actor: ctx.actor },
        )
        const days = await daily(storage.db, { days: 2, now: ctx.now, ...counted })
        return {
          groups: (await groups.list(ctx, { ...page, q: undefined })).groups.map(({ name }) => name),
          found: (await groups.list(ctx, { ...page, q: 'staff' })).groups.length,
          keys: (await keys.list(ctx, nothing)).filter(({ name }) => name.startsWith('key ')).length,
          connections: (await connections.list(ctx)).length,
          provisioning: (await provisioning.list(ctx, nothing)).length,
          deleted: [removed.users.map(({ username }) => username), removed.total],
          imports: (await imports.list(ctx, 10)).length,
          mails: (await mails.list(ctx, {})).mails.filter(({ kind }) => kind === 'invitation').length,
          closest: (await storage.query('users.closest', closest, { actor: ctx.actor })).length,
          totals: [totals.users, totals.active, totals.inactive, totals.groups, totals.in_groups],
          signUps: days.reduce((sum, { sign_ups }) => sum + sign_ups, 0),
        }
      }
      const own = { found: 1, keys: 1, connections: 1, provisioning: 1, imports: 1, mails: 1, closest: 1 }
      const counts = { totals: [2, 1, 1, 1, 1], signUps: 2 }
      assert.deepEqual(await listed(acme), {
        groups: ['staff acme'],
        deleted: [['eve-acme'], 1],
        ...own,
        ...counts,
      })
      assert.deepEqual((await listed(globex)).groups, ['staff globex'])
      const none = { groups: [], found: 0, keys: 0, connections: 0, provisioning: 0, imports: 0, mails: 0, closest: 0 }
      assert.deepEqual(await listed(nobodys), { ...none, deleted: [[], 0], totals: [0, 0, 0, 0, 0], signUps: 0 })
      const all = await listed(undefined)
      assert.deepEqual(
        [all.groups.length, all.keys, all.closest, all.imports, all.totals],
        [3, 3, 3, 3, [6, 3, 3, 3, 3]],
      )
      // The groups of a user of the organization: its own.
      const { user_id = '', group_id = '' } = filled.get(acme) ?? {}
      const { group_id: foreign } = filled.get(globex) ?? {}
      assert.equal((await app.call('PUT', `/groups/${foreign}/members/${user_id}`)).status, 200)
      assert.deepEqual(
        (await groups.listOfUser(contextOf(acme), user_id)).map((one) => one.group_id),
        [group_id],
      )
    })

    it('sees neither foreign groups of its users nor guests of its groups, also in SCIM, and counts its own holders of roles', async (t) => {
      const { app, storage, filled, contextOf } = await open(t, engine)
      const [own, foreign] = [filled.get(acme), filled.get(globex)]
      assert.ok(own && foreign)
      for (const [group, user] of [
        [foreign.group_id, own.user_id],
        [own.group_id, foreign.user_id],
      ]) {
        assert.equal((await app.call('PUT', `/groups/${group}/members/${user}`)).status, 200)
      }
      const { actor, now } = contextOf(acme)
      const scope = scopeOf(actor)
      for (const order of [{ sort: 'username' }, {}] as const) {
        const plan = planList(scope, { limit: 10, include: 'groups', ...order }, 'json')
        const { body } = await storage.query('users.page', plan, { actor })
        const [ada] = JSON.parse(Buffer.from(body).toString())
        assert.deepEqual([ada.username, ada.groups], ['ada-acme', ['staff acme']])
      }
      const snapshot = await storage.openSnapshot('users.list', planList(scope, { include: 'groups' }, 'json'), {
        actor,
      })
      const pieces: Uint8Array[] = []
      for (let piece = await snapshot.next(); piece !== undefined; piece = await snapshot.next()) pieces.push(piece)
      await snapshot.close()
      const [ada] = JSON.parse(Buffer.concat(pieces).toString())
      assert.deepEqual([ada.username, ada.groups], ['ada-acme', ['staff acme']])
      const scim = async (endpoint: '/Users' | '/Groups', filter?: string) => {
        const page = { by: 'index', startIndex: 1, count: 10 } as const
        const parsed = filter === undefined ? undefined : parseFilter(filter)
        const request = { filter: parsed, sortBy: undefined, descending: false, page, projection: {} }
        const query = { endpoint, request, base: '', booleansAsText: false, now, scope }
        const found = await storage.query('scim.search', query, { actor })
        return JSON.parse(Buffer.from(found.body).toString())
      }
      const listed = await scim('/Users')
      assert.deepEqual([listed.totalResults, listed.Resources.length], [2, 2])
      const groupsOf = (one: { groups?: { display: string }[] }) => (one.groups ?? []).map(({ display }) => display)
      assert.deepEqual(listed.Resources.flatMap(groupsOf), ['staff acme'])
      assert.equal((await scim('/Users', 'userName eq "ada-globex"')).totalResults, 0)
      assert.equal((await scim('/Users', 'emails.value eq "ada@globex.example"')).totalResults, 0)
      assert.equal((await scim('/Users', 'userName eq "ada-acme" or name.familyName co "love"')).totalResults, 1)
      const { totalResults, Resources } = await scim('/Groups')
      assert.deepEqual([totalResults, Resources[0].displayName, Resources[0].members.length], [1, 'staff acme', 1])
      assert.equal((await scim('/Groups', `members.value eq "${foreign.user_id}"`)).totalResults, 0)
      assert.deepEqual(await storage.query('roles.count_holders', scope, { actor }), [
        { role: 'user', users: 2, groups: 0 },
      ])
    })

    it('sees the requests for access of a domain that the organization has proved', async (t) => {
      const { app, contextOf } = await open(t, engine)
      const ids: Record<string, string> = {}
      for (const [n, domain] of ['acme.example', 'not-acme.example', 'globex.example'].entries()) {
        const id = `019a9f3e-0000-7000-8000-0000000001${n}0`
        ids[domain] = id
        await app.runSql(`
          INSERT INTO access_requests (request_id, state, email, email_key, created_at, expires_at, delete_at)
          VALUES ('${id}', 'waiting', 'ada@${domain}', 'ada@${domain}', '2026-11-30T00:00:00.000Z', '9999-01-01', '9999-01-01')`)
      }
      for (const [organization, domain, verified] of [
        [acme, 'acme.example', "'2026-11-30T00:00:00.000Z'"],
        [acme, 'globex.example', 'NULL'],
      ]) {
        await app.runSql(`
          INSERT INTO organization_domains (organization_id, domain, verified_at, created_at)
          VALUES ('${organization}', '${domain}', ${verified}, '2026-11-30T00:00:00.000Z')`)
      }
      const [ctx, all] = [contextOf(acme), contextOf()]
      assert.deepEqual(
        (await requests.list(ctx, {})).requests.map(({ email }) => email),
        ['ada@acme.example'],
      )
      assert.equal((await requests.list(all, {})).requests.length, 3)
      assert.equal((await requests.get(ctx, ids['acme.example'] as string)).email, 'ada@acme.example')
      for (const domain of ['not-acme.example', 'globex.example']) {
        await assert.rejects(requests.get(ctx, ids[domain] as string), { code: 'access_request_not_found' })
      }
    })

    it('sees the audit records of what belonged to the organization at that time, and a move without the other id', async (t) => {
      const { app, storage } = await open(t, engine)
      await storage.settleJournal()
      const request = { actor: actorOf(undefined), now: Date.now(), requestId: 'test' }
      const place = (id: string, organization_id: string | null, former_organization_id: string | null = null) => ({
        target: { kind: 'user', id, organization_id, former_organization_id },
      })
      const entry = (action: string, of: object) => ({ entry: { action, ...of }, now: Date.now(), requestId: 'test' })
      const changes = { organization_id: { before: acme, after: globex } }
      const entries = [
        entry('user.updated', place('one', acme)),
        entry('user.updated', place('two', globex)),
        entry('user.updated', place('three', null)),
        entry('user.updated', { ...place('one', globex, acme), changes }),
        entry('user.deleted', place('one', globex)),
      ]
      await storage.change('audit.record', entries as never, request)
      await storage.settleJournal()
      const find = async (limitedTo: string | undefined, filters: object = {}) => {
        const actor = actorOf(limitedTo)
        const search = { scope: scopeOf(actor), filters: { action: ['user.updated', 'user.deleted'], ...filters } }
        const range = { above: 0, below: Number.MAX_SAFE_INTEGER }
        const found = await storage.query('audit.find', { ...search, descending: false, range, limit: 100 }, { actor })
        return found.map(({ text }) => JSON.parse(text))
      }
      const idsOf = (records: { target: { id: string } }[]) => records.map(({ target }) => target.id)
      assert.deepEqual(idsOf(await find(acme)), ['one', 'one'])
      assert.deepEqual(idsOf(await find(globex)), ['two', 'one', 'one'])
      assert.deepEqual(idsOf(await find(acme, { target: 'one' })), ['one', 'one'])
      assert.deepEqual(idsOf(await find(globex, { target: 'one' })), ['one', 'one'])
      assert.deepEqual(await find(acme, { target: 'two' }), [])
      assert.deepEqual(await find(nobodys), [])
      const move = { target: 'one', changed: 'organization_id' }
      assert.deepEqual((await find(acme, move))[0].changes, { organization_id: { before: acme, after: null } })
      assert.deepEqual((await find(globex, move))[0].changes, { organization_id: { before: null, after: globex } })
      assert.deepEqual((await find(undefined, move))[0].changes, changes)
      assert.equal((await verifyStore(storage.db)).fault, undefined)
      await app.runSql(`UPDATE audit_records SET organization_id = '${acme}' WHERE target_id = 'two'`)
      assert.match((await verifyStore(storage.db)).fault?.detail ?? '', /its organization is not the one/)
    })

    it('sees what was recorded of its users and groups while they belonged to the organization', async (t) => {
      const app = await start(t, engine)
      const { storage } = app
      const create = async (name: string): Promise<string> => {
        const { status, body, text } = await app.call('POST', '/organizations', { body: { name } })
        assert.equal(status, 201, text)
        return body.organization_id
      }
      const [first, second] = [await create('first'), await create('second')]
      const { user_id } = await createUser(app, { username: 'ada' })
      const { group_id } = (await app.call('POST', '/groups', { body: { name: 'staff' } })).body
      const patch = async (body: object) => {
        for (const path of [`/users/${user_id}`, `/groups/${group_id}`]) {
          assert.equal((await app.call('PATCH', path, { body })).status, 200, path)
        }
      }
      await patch({ organization_id: first })
      assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Ada' } })).status, 200)
      await patch({ organization_id: second })
      await storage.settleJournal()
      const changesSeenBy = async (limitedTo: string, action: string) => {
        const actor = actorOf(limitedTo)
        const range = { above: 0, below: Number.MAX_SAFE_INTEGER }
        const search = { scope: scopeOf(actor), filters: { action: [action] }, descending: false, range, limit: 100 }
        const found = await storage.query('audit.find', search, { actor })
        return found.map(({ text }) => JSON.parse(text).changes)
      }
      const [arrival, away] = [
        { organization_id: { before: null, after: first } },
        { organization_id: { before: first, after: null } },
      ]
      const name = { first_name: { before: '', after: 'Ada' } }
      assert.deepEqual(await changesSeenBy(first, 'user.updated'), [arrival, name, away])
      assert.deepEqual(await changesSeenBy(first, 'group.updated'), [arrival, away])
      const taken = { organization_id: { before: null, after: second } }
      assert.deepEqual(await changesSeenBy(second, 'user.updated'), [taken])
      assert.deepEqual(await changesSeenBy(second, 'group.updated'), [taken])
      assert.equal((await changesSeenBy(first, 'organization.created')).length, 1)
      assert.equal((await verifyStore(storage.db)).fault, undefined)
    })
  })
}
