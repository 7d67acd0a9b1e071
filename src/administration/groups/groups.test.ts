import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, type Engine, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { assertWithin } from '../../../test/time-limit.ts'

const roles = { support: ['users:read', 'users:write'], auditor: ['audit:read'], root: ['*'] }
const env = { ROLLBOOK_ROLES: JSON.stringify(roles) }

/** The request of nginx for a page that a user opens. */
const nginx = {
  'x-original-method': 'GET',
  'x-original-uri': '/',
  'x-forwarded-host': 'orchard.example.com',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.7',
}

type Body = Record<string, unknown>

async function createGroup(
  app: Started,
  body: Body,
): Promise<{ group_id: string; name: string; member_count: number }> {
  const response = await app.call('POST', '/groups', { body })
  assert.equal(response.status, 201, response.text)
  return response.body
}

async function keyWith(app: Started, ...permissions: string[]): Promise<string> {
  const response = await app.call('POST', '/keys', { body: { name: 'test', permissions } })
  assert.equal(response.status, 201, response.text)
  return response.body.key
}

async function createMember(app: Started, body: Record<string, string> = {}): Promise<{ user_id: string }> {
  return (await createUser(app, body)) as { user_id: string }
}

const add = (app: Started, group_id: string, user_id: string, key?: string) =>
  app.call('PUT', `/groups/${group_id}/members/${user_id}`, key === undefined ? {} : { key })
const remove = (app: Started, group_id: string, user_id: string, key?: string) =>
  app.call('DELETE', `/groups/${group_id}/members/${user_id}`, key === undefined ? {} : { key })

/** The key of the tests is no user, so these tests may leave a store without an administrator among its users. */
async function startWith(t: Parameters<typeof start>[0], engine: Engine) {
  return start(t, engine, { env })
}

for (const engine of everyEngine) {
  describe(`groups on ${engine.name}`, () => {
    it('have names that differ in more than case and spaces, and external ids of their own', async (t) => {
      const app = await startWith(t, engine)
      const { group_id } = await createGroup(app, { name: 'Customer Support', external_id: 'a' })
      for (const name of ['customer support', 'CUSTOMER  SUPPORT']) {
        const { status, body } = await app.call('POST', '/groups', { body: { name } })
        assert.deepEqual([status, body.code, body.errors[0].pointer], [409, 'group_name_taken', '#/name'])
      }
      const taken = await app.call('POST', '/groups', { body: { name: 'Other', external_id: 'a' } })
      assert.deepEqual([taken.status, taken.body.code], [409, 'external_id_taken'])
      const other = await createGroup(app, { name: 'Other' })
      const both = await app.call('PATCH', `/groups/${other.group_id}`, {
        body: { name: 'customer Support', external_id: 'a' },
      })
      assert.deepEqual([both.status, both.body.code, both.body.errors.length], [409, 'group_name_taken', 2])
      for (const name of ['CUSTOMER SUPPORT', ' Customer Support\u200b']) {
        const renamed = await app.call('PATCH', `/groups/${group_id}`, { body: { name } })
        assert.deepEqual([renamed.status, renamed.body.name], [200, name.replaceAll(/^\s+|\u200b/g, '')])
        const again = await app.call('POST', '/groups', { body: { name: '\u00a0customer support ' } })
        assert.deepEqual([again.status, again.body.code], [409, 'group_name_taken'])
      }
      for (const name of [' ', 'a\tb', 'a\u200bb', '\u0430dmin group', '', 'x'.repeat(129)]) {
        assert.equal((await app.call('POST', '/groups', { body: { name } })).status, 422, JSON.stringify(name))
      }
      for (const body of [{ name: 'n', role: 'none' }, { name: 'n', members: [] }, {}]) {
        assert.equal((await app.call('POST', '/groups', { body })).status, 422)
      }
    })

    it('are listed in pages, in each order, and found by name, id and role', async (t) => {
      const app = await startWith(t, engine)
      const names = ['delta', 'Alpha', 'charlie', 'Bravo']
      for (const name of names) await createGroup(app, { name, external_id: `id ${name}`, role: 'support' })
      const listed = async (query: string) =>
        (await app.call('GET', `/groups?${query}`)).body.map(({ name }: { name: string }) => name)
      assert.deepEqual(await listed(''), ['Alpha', 'Bravo', 'charlie', 'delta'])
      assert.deepEqual(await listed('sort=-created_at'), names.toReversed())
      for (const [query, found] of [
        ['q=HA', ['Alpha', 'charlie']],
        ['q=id%20Bravo', ['Bravo']],
        ['q=a%20PHA', ['Alpha']],
        ['q=lpha%20charlie', []],
        ['name=BRAVO', ['Bravo']],
        ['name=%20bravo%E2%80%8B', ['Bravo']],
        ['external_id=id%20Bravo', ['Bravo']],
        ['name=%00', []],
        ['q=%00', []],
        ['q=%20', []],
        ['q=a%00', []],
        ['role=auditor', []],
      ] as const) {
        assert.deepEqual(await listed(query), found, query)
      }
      for (const sort of ['name', '-name', 'member_count', '-member_count', 'created_at']) {
        const whole = await listed(`sort=${sort}`)
        const pages: string[] = []
        for (let path: string | undefined = `/groups?limit=1&sort=${sort}`; path !== undefined; ) {
          const { body, headers } = await app.call('GET', path)
          pages.push(...body.map(({ name }: { name: string }) => name))
          path = /<.*?(\/groups\?[^>]*)>/.exec(headers.link ?? '')?.[1]
        }
        assert.deepEqual(pages, whole, sort)
      }
      assert.equal((await app.call('GET', '/groups?cursor=nonsense')).body.code, 'bad_cursor')
      const { group_id } = await createGroup(app, { name: 'Vertrieb Süd, Straße Żółw' })
      for (const q of ['sud vertrieb', 'STRASSE', 'süd,vertr', 'zolw', ` ${group_id.toUpperCase()} `]) {
        assert.deepEqual(await listed(`q=${encodeURIComponent(q)}`), ['Vertrieb Süd, Straße Żółw'], q)
      }
      assert.deepEqual(await listed('q=vertrieb%20nord'), [])
      const many = Array.from({ length: 17 }, (_, n) => `w${n}`).join('+')
      assert.equal((await app.call('GET', `/groups?q=${many}`)).status, 422)
    })

    it('list their members as users are listed, in pages and whole', async (t) => {
      const app = await startWith(t, engine)
      const { group_id } = await createGroup(app, { name: 'g' })
      const users: { user_id: string }[] = []
      for (let i = 0; i < 12; i++)
        users.push(await createMember(app, { username: `user${String(11 - i).padStart(2, '0')}` }))
      const ids = users.map(({ user_id }) => user_id)
      const within = ids.filter((_, i) => i % 2 === 0)
      await app.call('POST', `/groups/${group_id}/members`, { body: { add: within } })
      const path = `/groups/${group_id}/members`
      const idsOf = async (query: string) =>
        (await app.call('GET', `${path}?${query}`)).body.map(({ user_id }: { user_id: string }) => user_id)
      assert.deepEqual(await idsOf(''), within)
      assert.deepEqual(await idsOf('sort=username'), within.toReversed())
      assert.deepEqual(await idsOf('limit=2&offset=3'), within.slice(3, 5))
      assert.deepEqual(await idsOf('limit=2&offset=3&sort=username'), within.toReversed().slice(3, 5))
      assert.deepEqual(await idsOf('q=user0&limit=9'), within.slice(1))
      assert.deepEqual(await idsOf('active=false'), [])
      assert.deepEqual(await idsOf('active=true&limit=10&role=user'), within)
      assert.deepEqual(await idsOf(`user_id=${ids[0]}&user_id=${ids[1]}`), [ids[0]])
      assert.deepEqual(await idsOf('username=user11'), [ids[0]])
      const byFilter = await app.call('GET', `/users?group=${group_id}&limit=100&count=true`)
      assert.deepEqual([byFilter.body.length, byFilter.headers['total-count']], [6, '6'])
      for (const query of ['count=true', 'count=estimate&limit=1', 'count=true&active=true', 'count=true&q=user']) {
        assert.equal((await app.call('GET', `${path}?${query}`)).headers['total-count'], '6', query)
      }
      for (const sort of ['', 'username', '-username', '-created_at', '-last_login_at', 'email']) {
        const parameter = sort === '' ? '' : `&sort=${sort}`
        const whole = await idsOf(parameter)
        const pages: string[] = []
        for (let next: string | undefined = `${path}?limit=1${parameter}`; next !== undefined; ) {
          const { body, headers, status, text } = await app.call('GET', next)
          assert.equal(status, 200, text)
          pages.push(...body.map(({ user_id }: { user_id: string }) => user_id))
          next = /<.*?(\/groups\/[^>]*)>/.exec(headers.link ?? '')?.[1]
        }
        assert.deepEqual([pages.length, pages], [6, whole], sort)
      }
      const reader = await keyWith(app, 'groups:read')
      assert.equal((await app.call('GET', path, { key: reader })).body.code, 'permission_denied')
      assert.equal((await app.call('GET', `/groups/${group_id}`, { key: reader })).status, 200)
      assert.equal((await app.call('GET', '/groups/019a9f3e-0000-7000-8000-00000000abcd/members')).status, 404)
    })

    it('take and lose members, once and many at a time, with a result for each', async (t) => {
      const app = await startWith(t, engine)
      const { group_id } = await createGroup(app, { name: 'g' })
      const [a, b] = [await createMember(app), await createMember(app)]
      const unknown = '019a9f3e-0000-7000-8000-00000000abcd'
      const path = `/groups/${group_id}/members`
      const etag = async () => (await app.call('GET', `/groups/${group_id}`)).headers.etag
      const before = await etag()
      const body = { add: [a.user_id, b.user_id, unknown, 'no id'] }
      const dry = await app.call('POST', `${path}?dry_run=true`, { body })
      assert.equal(await etag(), before)
      const creation = await app.call('POST', path, { body })
      assert.deepEqual(creation.body, dry.body)
      assert.deepEqual([creation.body.member_count, creation.body.added, creation.body.removed], [2, 2, 0])
      assert.deepEqual(
        creation.body.results.map(({ result, code }: Body) => [result, code]),
        [
          ['added', undefined],
          ['added', undefined],
          ['refused', 'user_not_found'],
          ['refused', 'user_not_found'],
        ],
      )
      assert.notEqual(await etag(), before)
      const swap = await app.call('POST', path, { body: { add: [b.user_id], remove: [a.user_id] } })
      assert.deepEqual(
        swap.body.results.map(({ result }: Body) => result),
        ['unchanged', 'removed'],
      )
      assert.deepEqual((await add(app, group_id, b.user_id)).body.changed, false)
      assert.deepEqual((await add(app, group_id, a.user_id)).body, {
        group_id,
        user_id: a.user_id,
        member: true,
        changed: true,
      })
      assert.equal((await remove(app, group_id, unknown)).body.code, 'user_not_found')
      assert.equal((await add(app, unknown, a.user_id)).body.code, 'group_not_found')
      const twice = { add: [a.user_id], remove: [a.user_id] }
      assert.equal((await app.call('POST', path, { body: twice })).status, 422)
      const groups = await app.call('GET', `/users/${a.user_id}/groups`)
      assert.deepEqual(
        groups.body.map(({ group_id, member_count }: Body) => [group_id, member_count]),
        [[group_id, 2]],
      )
      assert.equal((await app.call('GET', `/users/${unknown}/groups`)).body.code, 'user_not_found')
    })

    it('end with exactly the members of many changes at the same time', async (t) => {
      const app = await startWith(t, engine)
      const { group_id } = await createGroup(app, { name: 'g', role: 'auditor' })
      const users = await Promise.all(Array.from({ length: 30 }, () => createMember(app)))
      const answers = await Promise.all([
        ...users.map(({ user_id }) => add(app, group_id, user_id)),
        ...users.slice(0, 10).map(({ user_id }) => remove(app, group_id, user_id)),
      ])
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      for (const { user_id } of users.slice(10)) await add(app, group_id, user_id)
      const { body } = await app.call('GET', `/groups/${group_id}/members`)
      assert.equal((await app.call('GET', `/groups/${group_id}`)).body.member_count, body.length)
      const held = await app.runSql(`SELECT user_id FROM users WHERE group_roles = 'auditor' ORDER BY user_id`)
      assert.deepEqual(
        held.map(({ user_id }) => user_id),
        body.map(({ user_id }: { user_id: string }) => user_id),
      )
    })
  })

  describe(`the rules of groups on ${engine.name}`, () => {
    it('two groups that each hold the last administrators are not both emptied at the same time', async (t) => {
      const app = await startWith(t, engine)
      const groups: { group_id: string; user_id: string }[] = []
      for (const name of ['one', 'two']) {
        const { group_id } = await createGroup(app, { name, role: 'root' })
        const { user_id } = await createMember(app)
        await add(app, group_id, user_id)
        groups.push({ group_id, user_id })
      }
      const [one, two] = groups as [(typeof groups)[0], (typeof groups)[0]]
      const answers = await Promise.all([
        app.call('DELETE', `/groups/${one.group_id}`),
        remove(app, two.group_id, two.user_id),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
      assert.deepEqual(await app.runSql(`SELECT group_roles FROM users WHERE group_roles = 'root'`), [
        { group_roles: 'root' },
      ])
    })
  })

  if (engine.name === 'PostgreSQL') {
    it('a membership and the role of a group reach another node within a second', async (t) => {
      const app = await startWith(t, engine)
      const other = await start(t, engine, { env, beside: app })
      const { user_id } = await createPerson(app, { username: 'grace' })
      const { group_id } = await createGroup(app, { name: 'Support', role: 'support' })
      const { cookie } = await openBrowser(app, 'grace')
      const there = async () =>
        (await other.call('GET', '/me', { key: null, headers: { cookie } })).body.permissions.length
      const reaches = async (count: number) => {
        for (const begun = performance.now(); (await there()) !== count; ) {
          assertWithin(1000, begun, `${count} permissions instead of ${await there()}`)
          await sleep(10)
        }
      }
      await reaches(0)
      await add(app, group_id, user_id)
      await reaches(2)
      await app.call('PATCH', `/groups/${group_id}`, { body: { role: 'auditor' } })
      await reaches(1)
      await app.call('DELETE', `/groups/${group_id}`)
      await reaches(0)
    })
  }
}

for (const engine of engines) {
  describe(`groups on ${engine.name}`, () => {
    it('are created, read, changed and deleted', async (t) => {
      const app = await startWith(t, engine)
      const body = { name: 'Customer Support', description: 'Answers', external_id: 'okta-1', role: 'support' }
      const created = await app.call('POST', '/groups', { body })
      const { group_id } = created.body
      assert.equal(created.headers.location?.endsWith(`/groups/${group_id}`), true)
      const { created_at, updated_at, ...group } = created.body
      assert.deepEqual(group, { group_id, ...body, member_count: 0 })
      const read = await app.call('GET', `/groups/${group_id}`)
      assert.deepEqual([read.body, read.headers.etag], [created.body, created.headers.etag])
      const headers = { 'if-none-match': read.headers.etag ?? '' }
      assert.equal((await app.call('GET', `/groups/${group_id}`, { headers })).status, 304)

      const patch = { description: '', external_id: null, role: null }
      const stale = await app.call('PATCH', `/groups/${group_id}`, { body: patch, headers: { 'if-match': '"9"' } })
      assert.equal(stale.body.code, 'precondition_failed')
      const dry = await app.call('PATCH', `/groups/${group_id}?dry_run=true`, { body: patch })
      assert.deepEqual([dry.body.role, dry.headers.etag], [null, undefined])
      const changed = await app.call('PATCH', `/groups/${group_id}`, {
        body: patch,
        headers: { 'if-match': read.headers.etag ?? '' },
      })
      assert.deepEqual([changed.body.role, changed.body.external_id, changed.body.name], [null, null, body.name])
      const same = await app.call('PATCH', `/groups/${group_id}`, { body: patch })
      assert.equal(same.headers.etag, changed.headers.etag)

      assert.deepEqual((await app.call('DELETE', `/groups/${group_id}?dry_run=true`)).body, {
        group_id,
        deleted: false,
      })
      assert.deepEqual((await app.call('DELETE', `/groups/${group_id}`)).body, { group_id, deleted: true })
      assert.equal((await app.call('GET', `/groups/${group_id}`)).body.code, 'group_not_found')
    })

    it('give their role to the members, whose sessions go on with it', async (t) => {
      const app = await startWith(t, engine)
      const { user_id } = await createPerson(app, { username: 'grace' })
      const support = await createGroup(app, { name: 'Support, north', role: 'support' })
      const audit = await createGroup(app, { name: 'Audit', role: 'auditor' })
      const { call } = await openBrowser(app, 'grace')
      const permissions = async () => (await call('GET', '/me')).body.permissions
      assert.deepEqual(await permissions(), [])
      const empty = (await call('POST', '/token')).body.access_token
      await add(app, support.group_id, user_id)
      assert.deepEqual(await permissions(), ['users:read', 'users:write'])
      const bearer = (token: string) => ({ key: null, headers: { authorization: `Bearer ${token}` } })
      assert.equal((await app.call('GET', '/me', bearer(empty))).status, 401)
      await add(app, audit.group_id, user_id)
      const me = (await call('GET', '/me')).body
      assert.deepEqual(me.permission_sources, [
        {
          permission: 'audit:read',
          sources: [{ role: 'auditor', group: { group_id: audit.group_id, name: 'Audit' } }],
        },
        ...['users:read', 'users:write'].map((permission) => ({
          permission,
          sources: [{ role: 'support', group: { group_id: support.group_id, name: 'Support, north' } }],
        })),
      ])
      const token = (await call('POST', '/token')).body.access_token
      assert.equal((await app.call('GET', '/users', bearer(token))).status, 200)
      const introspected = await app.call('POST', '/introspect', {
        body: new URLSearchParams({ token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      assert.deepEqual(introspected.body.permissions, me.permissions)
      const forwarded = await call('GET', '/verify/nginx?role=support', { headers: nginx })
      assert.deepEqual(
        [forwarded.status, forwarded.headers['remote-groups'], forwarded.headers['remote-permissions']],
        [200, 'user,auditor,support,Audit,Support%2C%20north', me.permissions.join(' ')],
      )
      await app.call('PATCH', `/groups/${support.group_id}`, { body: { role: null } })
      assert.deepEqual(await permissions(), ['audit:read'])
      assert.equal((await app.call('GET', '/users', bearer(token))).status, 401)
      assert.equal((await call('GET', '/verify/nginx?role=support', { headers: nginx })).status, 403)
      await app.call('DELETE', `/groups/${audit.group_id}`)
      assert.deepEqual(await permissions(), [])
      assert.deepEqual((await call('GET', '/me')).body.groups, [{ group_id: support.group_id, name: 'Support, north' }])
    })

    it('are followed by events and audit records', async (t) => {
      const app = await startWith(t, engine)
      const { user_id } = await createMember(app, { username: 'ada' })
      const { group_id } = await createGroup(app, { name: 'Support' })
      await add(app, group_id, user_id)
      await remove(app, group_id, user_id)
      await app.call('PATCH', `/groups/${group_id}`, { body: { role: 'support' } })
      await app.call('DELETE', `/groups/${group_id}`)
      const { body } = await app.call('GET', '/events?type=group.*')
      assert.deepEqual(
        body.events.map(({ type, subject }: Body) => [type, subject]),
        [
          ['group.created', group_id],
          ['group.member_added', `${group_id}:${user_id}`],
          ['group.member_removed', `${group_id}:${user_id}`],
          ['group.updated', group_id],
          ['group.deleted', group_id],
        ],
      )
      assert.match(body.events[1].dataschema, /GroupEventV1$/)
      assert.deepEqual(body.events[1].data, { group_id, user_id })
      await app.runSql(`UPDATE events SET data = NULL WHERE owner_id = '${user_id}'`)
      const erased = (await app.call('GET', '/events?type=group.member_added')).body.events[0]
      assert.deepEqual(erased.data, { group_id, user_id, erased: true })
      const audit = await app.call('GET', '/audit?sort=seq&action=group.*')
      assert.deepEqual(
        audit.body.map(({ action, target }: { action: string; target: Body }) => [action, target.kind, target.name]),
        [
          ['group.created', 'group', 'Support'],
          ['group.member_added', 'user', 'ada'],
          ['group.member_removed', 'user', 'ada'],
          ['group.updated', 'group', 'Support'],
          ['group.deleted', 'group', 'Support'],
        ],
      )
      assert.deepEqual(audit.body[3].changes, { role: { before: null, after: 'support' } })
    })
  })

  describe(`the rules of groups on ${engine.name}`, () => {
    it('a deleted user leaves the groups, and comes back into those that still exist by a caller who may give them', async (t) => {
      const app = await startWith(t, engine)
      const key = await keyWith(app, 'users:read', 'users:write')
      const { user_id } = await createMember(app)
      const deleted = await createGroup(app, { name: 'Gone' })
      const plain = await createGroup(app, { name: 'Plain' })
      const strong = await createGroup(app, { name: 'Strong', role: 'auditor' })
      const ids = [deleted, plain, strong].map(({ group_id }) => group_id)
      const counts = async () =>
        Promise.all(ids.map(async (id) => (await app.call('GET', `/groups/${id}`)).body.member_count))
      for (const id of ids) await add(app, id, user_id)
      await app.call('DELETE', `/users/${user_id}`)
      assert.deepEqual(await counts(), [0, 0, 0])
      assert.deepEqual((await app.call('GET', `/groups/${plain.group_id}/members`)).body, [])
      await app.call('DELETE', `/groups/${deleted.group_id}`)
      const refused = await app.call('POST', `/users/${user_id}/restore`, { key })
      assert.deepEqual([refused.status, refused.body.code], [403, 'user_outranks_caller'])
      assert.deepEqual(await counts(), [undefined, 0, 0])
      await app.call('POST', `/users/${user_id}/restore`)
      assert.deepEqual(await counts(), [undefined, 1, 1])
      assert.deepEqual(await app.runSql(`SELECT group_roles FROM users WHERE user_id = '${user_id}'`), [
        { group_roles: 'auditor' },
      ])
    })

    it('an active administrator remains, also one who is that through a group', async (t) => {
      const app = await startWith(t, engine)
      const root = await createGroup(app, { name: 'Root people', role: 'root' })
      const [a, b] = [await createMember(app), await createMember(app)]
      for (const { user_id } of [a, b]) await add(app, root.group_id, user_id)
      const path = `/groups/${root.group_id}`
      const isLast = ({ status, body }: { status: number; body: Body }) => status === 409 && body.code === 'last_admin'
      assert.ok(isLast(await app.call('PATCH', path, { body: { role: 'support' } })))
      assert.ok(isLast(await app.call('PATCH', path, { body: { role: null } })))
      assert.ok(isLast(await app.call('DELETE', path)))
      const both = await app.call('POST', `${path}/members`, { body: { remove: [a.user_id, b.user_id] } })
      assert.deepEqual(
        both.body.results.map(({ result, code }: Body) => [result, code]),
        [
          ['removed', undefined],
          ['refused', 'last_admin'],
        ],
      )
      assert.ok(isLast(await remove(app, root.group_id, b.user_id)))
      assert.ok(isLast(await app.call('PATCH', `/users/${b.user_id}`, { body: { active: false } })))
      assert.ok(isLast(await app.call('DELETE', `/users/${b.user_id}`)))
      // A demotion leaves the role of the group.
      const own = await app.call('PATCH', `/users/${b.user_id}`, { body: { role: 'admin' } })
      assert.equal(own.status, 200)
      assert.equal((await remove(app, root.group_id, b.user_id)).status, 200)
      assert.ok(isLast(await app.call('PATCH', `/users/${b.user_id}`, { body: { role: 'user' } })))
      await add(app, root.group_id, a.user_id)
      assert.equal((await app.call('PATCH', `/users/${b.user_id}`, { body: { role: 'user' } })).status, 200)
      assert.ok(isLast(await app.call('DELETE', path)))
      const administrators = [...Array(4)].map(() => createMember(app, { role: 'admin' }))
      await Promise.all(administrators)
      assert.equal((await app.call('DELETE', path)).status, 200)
    })

    it('no caller gives or takes permissions they lack through a group', async (t) => {
      const app = await startWith(t, engine)
      const key = await keyWith(app, 'users:read', 'users:write', 'groups:read', 'groups:write')
      const user = await createMember(app)
      const refused = async (method: string, path: string, body?: unknown) => {
        const response = await app.call(method, path, { key, ...(body !== undefined && { body }) })
        assert.deepEqual([response.status, response.body.code], [403, 'role_not_grantable'], `${method} ${path}`)
      }
      for (const body of [{ name: 'x', role: 'admin' }, { name: 'x', role: 'auditor' }, { name: 'ADMIN' }]) {
        await refused('POST', '/groups', body)
      }
      const strong = await createGroup(app, { name: 'Strong', role: 'auditor' })
      const path = `/groups/${strong.group_id}`
      await refused('PATCH', path, { role: null })
      await refused('PATCH', path, { description: 'x' })
      await refused('DELETE', path)
      await refused('PUT', `${path}/members/${user.user_id}`)
      await refused('DELETE', `${path}/members/${user.user_id}`)
      await refused('POST', `${path}/members`, { add: [user.user_id] })
      const weak = await createGroup(app, { name: 'Weak', role: 'support' })
      assert.equal((await add(app, weak.group_id, user.user_id, key)).status, 200)
      await refused('PATCH', `/groups/${weak.group_id}`, { role: 'root' })
      await refused('PATCH', `/groups/${weak.group_id}`, { name: 'root' })
      assert.equal((await app.call('GET', path)).body.member_count, 0)
    })

    it('no caller changes a user who outranks them, of their own or through a group', async (t) => {
      const app = await startWith(t, engine)
      const key = await keyWith(app, 'users:read', 'users:write', 'groups:read', 'groups:write', 'sessions:write')
      const user = await createMember(app, { username: 'grace' })
      const strong = await createGroup(app, { name: 'Strong', role: 'auditor' })
      const plain = await createGroup(app, { name: 'Plain' })
      await add(app, strong.group_id, user.user_id)
      await add(app, plain.group_id, user.user_id)
      const path = `/users/${user.user_id}`
      const attempts: [string, string, unknown?][] = [
        ['PATCH', path, { first_name: 'x' }],
        ['PATCH', path, { active: false }],
        ['DELETE', path],
        ['POST', `${path}/password`, { password: 'the sky above the port was grey' }],
        ['DELETE', `${path}/sessions`],
        ['DELETE', `/groups/${plain.group_id}/members/${user.user_id}`],
        ['PATCH', `/groups/${plain.group_id}`, { role: 'support' }],
        ['PATCH', `/groups/${plain.group_id}`, { name: 'Renamed' }],
        ['DELETE', `/groups/${plain.group_id}`],
      ]
      for (const [method, path, body] of attempts) {
        const response = await app.call(method, path, { key, ...(body !== undefined && { body }) })
        assert.deepEqual([response.status, response.body.code], [403, 'user_outranks_caller'], `${method} ${path}`)
      }
      const bulk = await app.call('POST', '/users/bulk', {
        key,
        body: { action: 'deactivate', user_ids: [user.user_id] },
      })
      assert.match(bulk.text, /user_outranks_caller/)
      const many = await app.call('POST', `/groups/${plain.group_id}/members`, {
        key,
        body: { remove: [user.user_id], add: [(await createMember(app)).user_id] },
      })
      assert.deepEqual(
        many.body.results.map(({ result, code }: Body) => [result, code]),
        [
          ['added', undefined],
          ['refused', 'user_outranks_caller'],
        ],
      )
      const file = '{"username": "grace", "first_name": "Imported"}\n'
      const imported = await app.call('POST', '/users/import?mode=update', {
        key: await keyWith(app, 'users:read', 'users:write', 'users:import'),
        body: file,
        headers: { 'content-type': 'application/x-ndjson' },
      })
      assert.match(imported.text, /user_outranks_caller/)
      await remove(app, strong.group_id, user.user_id)
      assert.equal((await app.call('PATCH', path, { key, body: { first_name: 'x' } })).status, 200)
    })
  })
}
