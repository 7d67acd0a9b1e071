/** Flaws of delegated administration that were published elsewhere, each named after what it would allow here. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createUser, type Engine, everyEngine, type Started, start } from '../harness.ts'
import { createOrganization } from '../organizations.ts'

const env = { ROLLBOOK_DELETION_GRACE_DAYS: '30' }
const unknown = '019a9f3e-0000-7000-8000-000000000000'
const words = ['users:read', 'users:write', 'groups:read', 'audit:read', 'mails:read', 'sessions:read']

type Side = { organization_id: string; ada: string; group_id: string; deleted: string }

async function createSide(app: Started, name: string): Promise<Side> {
  const organization_id = await createOrganization(app, { name })
  const create = async (username: string, members: object = {}) =>
    String((await createUser(app, { username, organization_id, ...members })).user_id)
  const domain = `${name.toLowerCase()}.example`
  const ada = await create(`ada-${name}`, { email: `ada@${domain}`, external_id: `${name}-1`, last_name: 'Lovelace' })
  await create(`bob-${name}`, { last_name: `Of ${name}` })
  const deleted = await create(`eve-${name}`)
  const group = await app.call('POST', '/groups', { body: { name: `Staff ${name}`, organization_id } })
  assert.equal(group.status, 201, group.text)
  assert.equal((await app.call('DELETE', `/users/${deleted}`)).status, 200)
  return { organization_id, ada, group_id: group.body.group_id, deleted }
}

/** Two organizations, and a caller who is limited to the first one. */
async function open(t: TestContext, engine: Engine) {
  const app = await start(t, engine, { env })
  const [acme, globex] = [await createSide(app, 'Acme'), await createSide(app, 'Globex')]
  const permissions = words.map((word) => `${word}@organization`)
  const { organization_id } = acme
  const created = await app.call('POST', '/keys', { body: { name: 'limited', organization_id, permissions } })
  assert.equal(created.status, 201, created.text)
  const call = (method: string, path: string, body?: object) =>
    app.call(method, path, { key: created.body.key, ...(body && { body }) })
  const usernames = async (path: string) => {
    const { status, body, text } = await call('GET', path)
    assert.equal(status, 200, text)
    return body.map(({ username }: { username: string }) => username)
  }
  return { app, acme, globex, call, usernames }
}

for (const engine of everyEngine) {
  describe(`an administrator of an organization, on ${engine.name}`, () => {
    it('cannot count hidden users, groups, deleted users and messages', async (t) => {
      const { call } = await open(t, engine)
      const counts: Record<string, number> = {
        '/users?count=true': 2,
        '/users?count=estimate': 2,
        '/users?count=true&q=ada': 1,
        '/users?count=true&q=globex': 0,
        '/users?count=true&active=true': 2,
        '/users?count=true&role=user&limit=1': 2,
        '/users?count=true&has_password=false&sort=email&limit=1': 2,
        '/deleted-users?count=true': 1,
      }
      for (const [path, count] of Object.entries(counts)) {
        const { status, headers, text } = await call('GET', path)
        assert.equal(status, 200, text)
        assert.deepEqual([path, Number(headers['total-count'])], [path, count])
        assert.equal(headers.etag, undefined, path)
      }
      assert.equal((await call('GET', '/groups')).body.length, 1)
      assert.equal((await call('GET', '/mails')).body.length, 0)
      const { totals } = (await call('GET', '/statistics')).body
      assert.deepEqual([totals.users, totals.groups], [2, 1])
    })

    it('cannot learn hidden values by a filter or an order', async (t) => {
      const { app, globex, call, usernames } = await open(t, engine)
      for (const filter of [
        'username=ada-Globex',
        'email=ada@globex.example',
        'external_id=Globex-1',
        `user_id=${globex.ada}`,
        `organization=${globex.organization_id}`,
        'organization=none',
        'q=ada-globex',
        'q=lovelace&username=ada-Globex',
      ]) {
        assert.deepEqual([filter, await usernames(`/users?${filter}`)], [filter, []])
      }
      for (const sort of ['username', '-username', 'email', '-created_at', '-last_login_at']) {
        const all: string[] = []
        let path: string | undefined = `/users?sort=${sort}&limit=1`
        while (path !== undefined) {
          const { body, headers } = await call('GET', path)
          all.push(...body.map(({ username }: { username: string }) => username))
          path = /<.*?(\/users[^>]*)>/.exec(String(headers.link ?? ''))?.[1]
        }
        assert.deepEqual(all.toSorted(), ['ada-Acme', 'bob-Acme'], sort)
      }
      // A place between hidden rows, made by a caller who sees them.
      const whole = await app.call('GET', '/users?sort=username&limit=2')
      const next = /<.*?(\/users[^>]*)>/.exec(String(whole.headers.link))?.[1] as string
      for (const name of await usernames(next)) assert.match(name, /Acme$/)
      const closest = (await call('GET', '/users/closest?q=ada-globex')).text
      assert.ok(!/globex/i.test(closest), closest)
      const of = async (query: string) => (await call('GET', `/audit?${query}`)).body
      assert.deepEqual(await of(`target=${globex.ada}`), [])
      assert.deepEqual(await of(`actor=${globex.ada}`), [])
      assert.deepEqual((await call('GET', `/users/${globex.ada}/audit`)).body, [])
    })

    it('cannot see more with the place of another caller in a list, nor the other way round', async (t) => {
      const { app, call } = await open(t, engine)
      const nextOf = ({ headers }: { headers: Record<string, unknown> }) =>
        /<.*?(\/(?:users|deleted-users|groups|audit)[^>]*)>/.exec(String(headers.link ?? ''))?.[1]
      await app.storage.settleJournal()
      const lists = [
        '/users?',
        '/users?sort=-email&',
        '/users?sort=created_at&',
        '/deleted-users?',
        '/groups?',
        '/audit?',
      ]
      for (const list of lists) {
        const idsOf = (rows: Record<string, unknown>[]) =>
          rows.map((row) => row.user_id ?? row.group_id ?? row.record_id ?? row.seq)
        const own = idsOf((await call('GET', `${list}limit=100`)).body)
        const whole = await app.call('GET', `${list}limit=1`)
        const next = nextOf(whole)
        if (next === undefined) throw new Error(`${list} has one page: ${whole.text}`)
        const { status, body } = await call('GET', next.replace('limit=1', 'limit=100'))
        assert.equal(status, 200, list)
        assert.deepEqual(
          idsOf(body).filter((id) => !own.includes(id)),
          [],
          list,
        )
        // One of the organization is a place in the list of everyone.
        const place = nextOf(await call('GET', `${list}limit=1`))
        if (place !== undefined) assert.equal((await app.call('GET', place)).status, 200, list)
      }
    })

    it('cannot read the members of a hidden group, nor learn that own users are its guests', async (t) => {
      const { app, acme, globex, call, usernames } = await open(t, engine)
      for (const [group, user] of [
        [globex.group_id, acme.ada],
        [globex.group_id, globex.ada],
        [acme.group_id, globex.ada],
      ]) {
        assert.equal((await app.call('PUT', `/groups/${group}/members/${user}`)).status, 200)
      }
      const withoutId = (text: string, id: string) => text.replaceAll(id, unknown).replace(/"instance":"[^"]*"/, '')
      for (const path of [
        '/groups/{id}',
        '/groups/{id}/members',
        '/users?group={id}',
        '/users?group={id}&count=true&q=ada',
      ]) {
        const hidden = await call('GET', path.replace('{id}', globex.group_id))
        const missing = await call('GET', path.replace('{id}', unknown))
        assert.deepEqual(
          [path, hidden.status, withoutId(hidden.text, globex.group_id), hidden.headers['total-count']],
          [path, missing.status, withoutId(missing.text, unknown), missing.headers['total-count']],
        )
      }
      assert.deepEqual(await usernames(`/users?group=${globex.group_id}&sort=email`), [])
      assert.deepEqual(await usernames(`/users?group=${acme.group_id}`), [])
      assert.deepEqual(await usernames(`/groups/${acme.group_id}/members`), [])
      const groups = (await call('GET', `/users/${acme.ada}/groups`)).body
      assert.deepEqual(groups, [])
      const records = JSON.stringify((await call('GET', `/users/${acme.ada}/audit`)).body)
      assert.ok(!records.includes(globex.group_id) && !records.includes('Staff Globex'), records)
    })

    it('cannot restore hidden users, nor bring own ones back into hidden groups', async (t) => {
      const { app, acme, globex, call } = await open(t, engine)
      for (const id of [globex.deleted, unknown]) {
        const { status, body } = await call('POST', `/users/${id}/restore`)
        assert.deepEqual([status, body.code], [404, 'user_not_found'])
      }
      const bulk = await call('POST', '/users/bulk', { action: 'restore', user_ids: [globex.deleted] })
      assert.ok(!bulk.text.includes('"restored"') && !/eve-Globex/.test(bulk.text), bulk.text)
      assert.equal((await app.call('GET', `/users/${globex.deleted}`)).status, 404)
      for (const group of [globex.group_id, acme.group_id]) {
        assert.equal((await app.call('PUT', `/groups/${group}/members/${acme.ada}`)).status, 200)
      }
      assert.equal((await app.call('DELETE', `/users/${acme.ada}`)).status, 200)
      assert.deepEqual((await call('GET', '/deleted-users')).body.length, 2)
      const restored = await call('POST', `/users/${acme.ada}/restore`)
      assert.equal(restored.status, 200, restored.text)
      const groups = (await app.call('GET', `/users/${acme.ada}/groups`)).body as { group_id: string }[]
      assert.deepEqual(
        groups.map(({ group_id }) => group_id),
        [acme.group_id],
      )
    })

    it('cannot restore users of an organization that is gone, who come back to none', async (t) => {
      const { app, globex, call } = await open(t, engine)
      const deleted = await app.call('DELETE', `/organizations/${globex.organization_id}?users=delete`)
      assert.equal(deleted.status, 200, deleted.text)
      for (const id of [globex.ada, globex.deleted]) {
        const { status, body } = await call('POST', `/users/${id}/restore`)
        assert.deepEqual([status, body.code], [404, 'user_not_found'])
        const restored = await app.call('POST', `/users/${id}/restore`)
        assert.equal(restored.status, 200, restored.text)
        assert.ok(!('organization_id' in restored.body), restored.text)
      }
      assert.equal((await call('GET', '/users')).body.length, 2)
    })
  })
}
