import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { system } from '../../core/actor.ts'

type Body = Record<string, unknown>

async function define(app: Started, name: string, body: Body = {}): Promise<void> {
  const response = await app.call('POST', '/attributes', { body: { name, type: 'string', ...body } })
  assert.equal(response.status, 201, response.text)
}

async function found(app: Started, query: string): Promise<string[]> {
  const response = await app.call('GET', `/users?${query}`)
  assert.equal(response.status, 200, `${query} ${response.text}`)
  return response.body.map(({ username }: Body) => username).sort()
}

async function fill(app: Started, searchable: boolean): Promise<void> {
  await define(app, 'department', { searchable })
  await define(app, 'level', { type: 'number', searchable })
  await define(app, 'remote', { type: 'boolean', searchable })
  await define(app, 'tags', { type: 'string[]', searchable })
  await define(app, 'since', { type: 'datetime', searchable })
  const users: [string, Body][] = [
    ['ada', { department: 'Sales', level: 2, remote: true, tags: ['a', 'b'], since: '2024-01-01T00:00:00Z' }],
    ['bob', { department: 'Sales', level: 3, remote: false, tags: ['b'] }],
    ['carol', { department: 'sales', level: 2 }],
    ['dora', {}],
  ]
  for (const [username, attributes] of users) {
    const role = username === 'bob' ? 'admin' : 'user'
    const response = await app.call('POST', '/users', { body: { username, role, attributes } })
    assert.equal(response.status, 201, response.text)
  }
}

for (const engine of everyEngine) {
  for (const searchable of [true, false]) {
    describe(`filters by ${searchable ? 'searchable ' : ''}attributes on ${engine.name}`, () => {
      it('find exactly those with the value, together with any other filter', async (t) => {
        const app = await start(t, engine)
        await fill(app, searchable)
        const cases: [query: string, users: string[]][] = [
          ['attributes.department=Sales', ['ada', 'bob']],
          ['attributes.department=sales', ['carol']],
          ['attributes.department=Sal', []],
          ['attributes.department=Sales%00', []],
          ['attributes.level=2', ['ada', 'carol']],
          ['attributes.level=2.0', ['ada', 'carol']],
          ['attributes.remote=true', ['ada']],
          ['attributes.remote=false', ['bob']],
          ['attributes.tags=b', ['ada', 'bob']],
          ['attributes.since=2024-01-01T01:00:00%2B01:00', ['ada']],
          ['attributes.department=Sales&attributes.level=2', ['ada']],
          ['attributes.department=Sales&role=admin', ['bob']],
          ['attributes.department=Sales&q=ad', ['ada']],
          ['attributes.department=Sales&sort=-username', ['ada', 'bob']],
          ['attributes.department=Sales&limit=10&offset=1', ['bob']],
          ['attributes.department=Sales&username=bob', ['bob']],
          ['attributes.department=Sales&active=false', []],
        ]
        for (const [query, users] of cases) assert.deepEqual(await found(app, query), users, query)
      })

      it('page, count and follow changes of the values', async (t) => {
        const app = await start(t, engine)
        await fill(app, searchable)
        const first = await app.call('GET', '/users?attributes.department=Sales&limit=1&count=true')
        assert.deepEqual([first.body[0].username, first.headers['total-count']], ['ada', '2'])
        const [, next = ''] = /<([^>]+)>; rel="next"/.exec(String(first.headers.link)) ?? []
        const { pathname, search } = new URL(next, 'http://localhost')
        const second = await app.call('GET', `${pathname.slice('/auth'.length)}${search}`)
        assert.deepEqual([second.body[0].username, second.headers.link], ['bob', undefined])
        const estimated = await app.call('GET', '/users?attributes.department=Sales&q=ada&limit=1&count=estimate')
        assert.equal(estimated.headers['total-count'], '1')
        const both = await app.call('GET', '/users?attributes.department=Sales&role=admin&limit=5&count=true')
        assert.equal(both.headers['total-count'], '1')
        const { user_id } = first.body[0]
        await app.call('PATCH', `/users/${user_id}`, { body: { attributes: { department: 'Board' } } })
        assert.deepEqual(await found(app, 'attributes.department=Sales'), ['bob'])
        assert.deepEqual(await found(app, 'attributes.department=Board'), ['ada'])
        await app.call('DELETE', `/users/${user_id}`)
        assert.deepEqual(await found(app, 'attributes.department=Board'), [])
        await app.call('POST', `/users/${user_id}/restore`)
        assert.deepEqual(await found(app, 'attributes.department=Board'), ['ada'])
        await app.call('DELETE', `/users/${user_id}`)
        await app.call('PATCH', '/attributes/department', { body: { searchable: !searchable } })
        await app.call('POST', `/users/${user_id}/restore`)
        assert.deepEqual(await found(app, 'attributes.department=Board'), ['ada'])
        assert.deepEqual(await found(app, 'q=board'), searchable ? [] : ['ada'], 'as the definition is now')
        const { body: group } = await app.call('POST', '/groups', { body: { name: 'All' } })
        await app.call('PUT', `/groups/${group.group_id}/members/${user_id}`)
        const members = await app.call('GET', `/groups/${group.group_id}/members?attributes.department=Board`)
        assert.equal(members.body.length, 1)
      })
    })
  }
}

it('search texts of SQLite are not refreshed faster than the index takes them in, or searches would be refused', async (t) => {
  const app = await start(t, { name: 'SQLite' })
  await define(app, 'department', { searchable: true })
  const lines = Array.from({ length: 150 }, (_, n) => ({ username: `lin-${n}`, attributes: { department: 'Sales' } }))
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const headers = { 'content-type': 'application/x-ndjson' }
  assert.equal((await app.call('POST', '/users/import', { body, headers })).body.created, 150)
  await app.runSql('UPDATE users SET search_text = substr(search_text, 1, instr(search_text, char(29)) - 1)')
  await app.runSql("INSERT INTO search_refresh (name, after_user_id) VALUES ('users', '')")
  const request = { actor: system, now: Date.now(), requestId: 'test' }
  await app.storage.change('attributes.refresh_search_texts', undefined, request)
  assert.ok(Number((await app.runSql('SELECT count(*) AS n FROM search_pending'))[0]?.n) < 64)
  assert.equal((await app.call('GET', '/users?q=sales&count=true&limit=1')).headers['total-count'], '150')
})

for (const engine of engines) {
  describe(`filters by attributes on ${engine.name}`, () => {
    it('refuse what is not defined, and values of another type', async (t) => {
      const app = await start(t, engine)
      await fill(app, true)
      for (const [query, pointer] of [
        ['attributes.shoe=39', '?attributes.shoe'],
        ['attributes.level=many', '?attributes.level'],
        ['attributes.remote=1', '?attributes.remote'],
        ['attributes.Level=2', '?attributes.Level'],
      ] as const) {
        const response = await app.call('GET', `/users?${query}`)
        assert.deepEqual([response.status, response.body.errors?.[0].pointer], [422, pointer], response.text)
      }
      await define(app, 'born', { type: 'date' })
      await define(app, 'size', { type: 'enum', options: ['S', 'M'] })
      for (const [query, form] of [
        ['level=', 'a number such as 12 or 0.5'],
        ['level=0x10', 'a number such as 12 or 0.5'],
        ['level=Infinity', 'a number such as 12 or 0.5'],
        ['remote=', 'true or false'],
        ['born=notadate', 'a day such as 2026-11-24'],
        ['born=2026-02-30', 'a day such as 2026-11-24'],
        ['born=2026-11-24T09:30:00Z', 'a day such as 2026-11-24'],
        ['since=notadate', 'an instant such as 2026-11-24T09:30:00Z'],
        ['since=2026-11-24', 'an instant such as 2026-11-24T09:30:00Z'],
        ['size=L', 'one of S, M'],
      ] as const) {
        const { status, body, text } = await app.call('GET', `/users?attributes.${query}`)
        assert.deepEqual([status, body.errors?.[0].detail], [422, `Must be ${form}.`], `${query} ${text}`)
      }
      assert.equal((await app.call('GET', '/users?attributes.level=1&attributes.level=2')).status, 422)
    })

    it('are refused with the reason where every user would have to be read', async (t) => {
      const app = await start(t, engine)
      await define(app, 'note')
      await define(app, 'department', { searchable: true })
      const rows = Array.from({ length: 10_001 }, (_, n) => {
        const attributes = n < 3 ? { note: 'x', department: n < 2 ? 'Sales' : 'Board' } : undefined
        return JSON.stringify({ username: `user${n}`, ...(attributes && { attributes }) })
      })
      const headers = { 'content-type': 'application/x-ndjson' }
      const imported = await app.call('POST', '/users/import', { body: rows.join('\n'), headers })
      assert.deepEqual([imported.body.created, imported.body.rejected], [10_001, 0])
      for (const rest of ['', '&limit=10', '&role=user', '&locked=false', '&active=true']) {
        const query = `attributes.note=x${rest}`
        const response = await app.call('GET', `/users?${query}`)
        assert.deepEqual([response.status, response.body.code], [422, 'list_too_costly'], query)
        assert.match(response.body.detail, /note.*searchable/)
      }
      assert.deepEqual(await found(app, 'attributes.note=x&attributes.department=Sales'), ['user0', 'user1'])
      assert.deepEqual(await found(app, 'attributes.note=x&username=user2'), ['user2'])
      assert.deepEqual(await found(app, 'attributes.note=x&locked=true'), [])
      assert.deepEqual(await found(app, 'attributes.department=Board'), ['user2'])
    })
  })
}
