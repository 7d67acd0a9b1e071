import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { openBrowser, password } from '../../../test/people.ts'
import { connectTo } from '../../../test/scim/provider.ts'

const unknownId = '019a9f3e-0000-7000-8000-000000000000'
type Body = Record<string, unknown>

async function created(app: Started, path: string, body: Body) {
  const response = await app.call('POST', path, { body })
  assert.equal(response.status, 201, response.text)
  return response.body
}

const organization = async (app: Started, name: string): Promise<string> =>
  (await created(app, '/organizations', { name })).organization_id

const lines = (...rows: Body[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const ndjson = { 'content-type': 'application/x-ndjson' }

/** A user of Acme with a session, a group of Acme, a group without organization, and an account at a connection of Acme. */
async function createMemberOfAcme(app: Started) {
  const [acme, beta] = [await organization(app, 'Acme'), await organization(app, 'Beta')]
  const user = await created(app, '/users', { username: 'ada', password, organization_id: acme })
  const own = await created(app, '/groups', { name: 'Acme desk', organization_id: acme })
  const shared = await created(app, '/groups', { name: 'Everyone' })
  for (const { group_id } of [own, shared]) await app.call('PUT', `/groups/${group_id}/members/${user.user_id}`)
  const { connection_id } = await created(app, '/connections', {
    kind: 'oidc',
    name: 'Acme login',
    issuer: 'https://acme.example',
    client_id: 'acme',
  })
  await app.runSql(
    `UPDATE sign_in_connections SET organization_id = '${acme}' WHERE connection_id = '${connection_id}'`,
  )
  await created(app, `/users/${user.user_id}/identities`, { connection_id, subject: 'ada at acme' })
  return { acme, beta, user, own, shared, connection_id, browser: await openBrowser(app, 'ada') }
}

for (const engine of everyEngine) {
  describe(`the users of organizations on ${engine.name}`, () => {
    it('are listed, counted, searched and exported by organization, and so are those of none', async (t) => {
      const app = await start(t, engine)
      const acme = await organization(app, 'Acme')
      for (const username of ['ada', 'bob', 'eve']) await created(app, '/users', { username, organization_id: acme })
      for (const username of ['zoe', 'adam']) await created(app, '/users', { username })
      await app.call('PATCH', `/users/${(await app.call('GET', '/users?username=eve')).body[0].user_id}`, {
        body: { active: false },
      })
      const listed = async (query: string) => {
        const { body, headers } = await app.call('GET', `/users?${query}&count=true`)
        const names = body.map(({ username }: { username: string }) => username)
        assert.equal(Number(headers['total-count']), names.length, query)
        return names.sort()
      }
      for (const [query, names] of [
        [`organization=${acme}`, ['ada', 'bob', 'eve']],
        [`organization=${acme.toUpperCase()}&sort=-username`, ['ada', 'bob', 'eve']],
        [`organization=${acme}&active=true`, ['ada', 'bob']],
        [`organization=${acme}&q=ada`, ['ada']],
        [`organization=${acme}&has_signed_in=false&limit=10`, ['ada', 'bob', 'eve']],
        ['organization=none', ['adam', 'zoe']],
        ['organization=none&q=ada', ['adam']],
        ['organization=none&limit=10&sort=username', ['adam', 'zoe']],
        [`organization=${unknownId}`, []],
        ['organization=%00', []],
      ] as const) {
        assert.deepEqual(await listed(query), names, query)
      }
      const { text } = await app.call('GET', `/users?organization=${acme}`, { headers: { accept: 'text/csv' } })
      assert.match(text, /^[^\r\n]*organization_id/)
      assert.equal(text.split(acme).length, 4)
      const { body } = await app.call('GET', `/organizations/${acme}`)
      assert.deepEqual([body.user_count, body.group_count], [3, 0])
      const full = await app.call('DELETE', `/organizations/${acme}`)
      assert.deepEqual([full.status, full.body.code, full.body.user_count], [409, 'organization_not_empty', 3])
    })

    it('lose what the former organization gave them when they move, in one change that a dry run lists', async (t) => {
      const app = await start(t, engine)
      const { beta, user, own, shared, connection_id, browser } = await createMemberOfAcme(app)
      const path = `/users/${user.user_id}`
      const move = async (query = '') =>
        (await app.call('PATCH', `${path}${query}`, { body: { organization_id: beta } })).body
      const groupsOf = async () =>
        (await app.call('GET', `${path}/groups`)).body.map(({ name }: { name: string }) => name)
      const trial = await move('?dry_run=true')
      assert.equal(trial.move.sessions, 1)
      assert.deepEqual(trial.move.groups, [{ group_id: own.group_id, name: 'Acme desk' }])
      assert.deepEqual(
        trial.move.identities.map((one: Body) => [one.connection_id, one.connection_name]),
        [[connection_id, 'Acme login']],
      )
      assert.deepEqual(await groupsOf(), ['Acme desk', 'Everyone'])
      const moved = await move()
      assert.deepEqual(moved.move, trial.move)
      assert.equal(moved.organization_id, beta)
      assert.deepEqual(await groupsOf(), ['Everyone'])
      assert.deepEqual((await app.call('GET', `${path}/identities`)).body, [])
      assert.equal((await app.call('GET', '/me', { key: null, headers: { cookie: browser.cookie } })).status, 401)
      const counts = [own, shared].map(async ({ group_id }) => (await app.call('GET', `/groups/${group_id}`)).body)
      assert.deepEqual(
        (await Promise.all(counts)).map(({ member_count }) => member_count),
        [0, 1],
      )
      const again = await move()
      assert.equal(again.move, undefined)
      const { body: records } = await app.call('GET', `/audit?target=${user.user_id}&sort=seq`)
      const actions = records.map(({ action }: { action: string }) => action)
      for (const action of ['group.member_removed', 'user.identity_removed']) {
        assert.equal(actions.filter((one: string) => one === action).length, 1, action)
      }
      const updates = records.filter(({ action }: { action: string }) => action === 'user.updated')
      assert.deepEqual(updates[0].changes.organization_id.after, beta)
    })

    it('move by import, which names the organization, and by a bulk change, which can be undone', async (t) => {
      const app = await start(t, engine)
      const { acme, beta, user } = await createMemberOfAcme(app)
      const imported = async (...rows: Body[]) =>
        (await app.call('POST', '/users/import?mode=update', { headers: ndjson, body: lines(...rows) })).body
      const of = async () => (await app.call('GET', `/users/${user.user_id}`)).body.organization_id
      const done = await imported(
        { username: 'ada', organization: 'BETA', groups: ['Acme desk'] },
        { username: 'new', organization: acme },
        { username: 'bad', organization: 'Gamma' },
        { username: 'both', organization: 'Beta', organization_id: acme },
      )
      assert.deepEqual([done.updated, done.created, done.rejected], [1, 1, 2])
      assert.deepEqual(
        done.rejects.map(({ code, pointer }: Body) => [code, pointer]),
        [
          ['organization_unknown', '#/organization'],
          ['not_together', '#/organization'],
        ],
      )
      assert.equal(await of(), beta)
      // The row names the group, so the user is a guest there.
      const { body: groups } = await app.call('GET', `/users/${user.user_id}/groups`)
      assert.deepEqual(
        groups.map((one: Body) => [one.name, one.member_count]),
        [['Acme desk', 1]],
      )
      await imported({ username: 'new', organization: null })
      assert.equal((await app.call('GET', '/users?username=new')).body[0].organization_id, undefined)

      const bulk = async (body: Body) => {
        const { text, status } = await app.call('POST', '/users/bulk', {
          body: { action: 'set_organization', user_ids: [user.user_id], ...body },
        })
        return status === 200
          ? text
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line))[1]
          : status
      }
      const line = await bulk({ organization_id: acme })
      assert.deepEqual([line.verdict, line.before], ['changed', { organization_id: beta }])
      assert.equal(await of(), acme)
      assert.equal((await bulk({ organization_id: acme })).verdict, 'unchanged')
      assert.equal(await bulk({ organization_id: unknownId }), 422)
      assert.equal(await bulk({}), 422)
      await bulk({ organization_id: null })
      assert.equal(await of(), undefined)
    })
  })
}

for (const engine of engines) {
  describe(`the users of organizations on ${engine.name}`, () => {
    it('refuses an organization that does not exist in every body that names one', async (t) => {
      const app = await start(t, engine)
      const { user_id } = (await createUser(app)) as { user_id: string }
      const { group_id } = await created(app, '/groups', { name: 'Desk' })
      for (const organization_id of [unknownId, 'none', '']) {
        for (const [method, path, body] of [
          ['POST', '/users', { username: 'new', organization_id }],
          ['POST', '/users', { email: 'new@example.com', username: 'new', invite: 'true', organization_id }],
          ['PATCH', `/users/${user_id}`, { organization_id }],
          ['POST', '/groups', { name: 'New', organization_id }],
          ['PATCH', `/groups/${group_id}`, { organization_id }],
        ] as const) {
          const { status, body: refusal } = await app.call(method, path, { body })
          assert.equal(status, 422, `${method} ${path}`)
          assert.equal(refusal.errors[0].pointer, '#/organization_id')
        }
      }
    })

    it('restores a deleted user without an organization that is gone', async (t) => {
      const app = await start(t, engine)
      const [acme, beta] = [await organization(app, 'Acme'), await organization(app, 'Beta')]
      for (const [username, organization_id] of [
        ['ada', acme],
        ['bob', beta],
      ]) {
        const { user_id } = await created(app, '/users', { username, organization_id })
        await app.call('DELETE', `/users/${user_id}`)
        if (organization_id === acme) await app.call('DELETE', `/organizations/${acme}`)
        const { body } = await app.call('POST', `/users/${user_id}/restore`)
        assert.equal(body.organization_id, organization_id === acme ? undefined : beta)
      }
    })

    it('refuses to move the last administrator out of the group that makes them one, and whom a connection of an organization manages', async (t) => {
      const app = await start(t, engine)
      const acme = await organization(app, 'Acme')
      const { user_id } = await created(app, '/users', { username: 'ada', organization_id: acme })
      const { group_id } = await created(app, '/groups', { name: 'Admins', role: 'admin', organization_id: acme })
      await app.call('PUT', `/groups/${group_id}/members/${user_id}`)
      const last = await app.call('PATCH', `/users/${user_id}`, { body: { organization_id: null } })
      assert.deepEqual([last.status, last.body.code], [409, 'last_admin'])

      const { createUser: provision, connection_id } = await connectTo(app)
      const { id } = await provision({ userName: 'sue' })
      await app.runSql(
        `UPDATE provisioning_connections SET organization_id = '${acme}' WHERE connection_id = '${connection_id}'`,
      )
      await app.runSql(`UPDATE users SET organization_id = '${acme}' WHERE user_id = '${id}'`)
      const managed = await app.call('PATCH', `/users/${id}?override=true`, { body: { organization_id: null } })
      assert.deepEqual([managed.status, managed.body.code], [409, 'managed_elsewhere'])
    })

    it('lists groups by organization, and clears it', async (t) => {
      const app = await start(t, engine)
      const acme = await organization(app, 'Acme')
      const { group_id } = await created(app, '/groups', { name: 'Desk', organization_id: acme })
      await created(app, '/groups', { name: 'Other' })
      const listed = async (of: string) =>
        (await app.call('GET', `/groups?organization=${of}`)).body.map(({ name }: { name: string }) => name)
      assert.deepEqual([await listed(acme), await listed('none')], [['Desk'], ['Other']])
      assert.equal((await app.call('GET', `/organizations/${acme}`)).body.group_count, 1)
      const cleared = await app.call('PATCH', `/groups/${group_id}`, { body: { organization_id: null } })
      assert.equal(cleared.body.organization_id, undefined)
      assert.deepEqual(await listed(acme), [])
    })
  })
}
