import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, type Engine, engines, type Started, start } from '../../../test/harness.ts'
import { system } from '../../core/actor.ts'

/** Which users `q` finds, whole and as a page of any order: the three ways a list can take. */
async function find(app: Started, q: string): Promise<string[]> {
  const path = `/users?q=${encodeURIComponent(q)}`
  const namesIn = async (query: string): Promise<string[]> => {
    const response = await app.call('GET', path + query)
    assert.equal(response.status, 200, response.text)
    return (response.body as { username: string }[]).map(({ username }) => username)
  }
  const [whole, page, ordered] = [
    await namesIn(''),
    await namesIn('&limit=100'),
    await namesIn('&limit=100&sort=username'),
  ]
  assert.deepEqual([page, ordered.toSorted()], [whole, whole.toSorted()], q)
  const counted = await app.call('GET', `${path}&limit=1&count=true`)
  assert.equal(counted.headers['total-count'], String(whole.length))
  return whole
}

/**
 * Runs `check` in each state of the search index. On SQLite rows wait for it after each change: none does, all do, all do
 * before any was there. On PostgreSQL it is left aside for so few users, or used because nothing else may be, or missing.
 */
async function inEachStateOfTheIndex(
  t: TestContext,
  engine: Engine,
  app: Started,
  check: (app: Started) => Promise<void>,
): Promise<void> {
  if (app.database) {
    await check(app)
    const { role } = app.database
    // What must not be done counts as costly, and the server would compile costly queries.
    await app.runSql(`ALTER ROLE ${role} SET enable_seqscan = off; ALTER ROLE ${role} SET jit = off`)
    await check(await start(t, engine, { beside: app }))
    const [index] = await app.runSql("SELECT pg_get_indexdef('users_search'::regclass) AS definition")
    await app.runSql('DROP INDEX users_search')
    await check(app)
    await app.runSql(String(index?.definition))
    return
  }
  const waiting = async () => (await app.runSql('SELECT count(*) AS n FROM search_pending'))[0]?.n
  while ((await waiting()) !== 0) await sleep(20)
  await check(app)
  await app.runSql('INSERT INTO search_pending SELECT row_id FROM users')
  await check(app)
  await app.runSql("INSERT INTO users_search (users_search) VALUES ('delete-all')")
  await check(app)
  assert.notEqual(await waiting(), 0)
}

const people: Record<string, string>[] = [
  { username: 'ada', first_name: 'Ada', last_name: 'Lovelace', email: 'Countess@Example.org' },
  { username: 'Zola', first_name: 'Émile', last_name: 'Zola' },
  { username: 'großmann', first_name: 'Jürgen', last_name: 'Großmann', email: 'j.grossmann@example.com' },
  { username: "o'hara", first_name: 'Scarlett "Katie"', last_name: "O'Hara AND OR NOT NEAR(x, 5)" },
  { username: '管理者', first_name: 'ΣΟΦΟΣ', last_name: 'Ｗｉｄｅ' },
  { username: '100%', first_name: 'a_b*', last_name: 'c\\d^e' },
]

for (const engine of engines) {
  describe(`searching users on ${engine.name}`, () => {
    it('finds a text anywhere in username, email and names, ignoring case and accents', async (t) => {
      const app = await start(t, engine)
      for (const person of people) await createUser(app, person)
      const cases: [q: string, found: string[]][] = [
        ['lovelace', ['ada']],
        ['LOVELACE', ['ada']],
        ['lövelàce', ['ada']],
        ['velac', ['ada']],
        ['emile', ['Zola']],
        ['E\u0301MILE', ['Zola']],
        ['zola', ['Zola']],
        ['example', ['ada', 'großmann']],
        ['@EXAMPLE.ORG', ['ada']],
        ['grossmann', ['großmann']],
        ['GROẞMANN', ['großmann']],
        ['jurgen', ['großmann']],
        ['σοφος', ['管理者']],
        ['ΣΟΦ', ['管理者']],
        ['wide', ['管理者']],
        ['ｗｉｄｅ', ['管理者']],
        ['管理者', ['管理者']],
        ['Ada Lovelace', ['ada']],
        ['Lovelace Ada', ['ada']],
        ['Lovelace, Ada', ['ada']],
        ['ada example lovelace countess', ['ada']],
        ['lovelace a', ['ada']],
        ['grossmann, JURGEN', ['großmann']],
        ['GROSSMANN Jürgen', ['großmann']],
        ['ada zzz', []],
        ['ada zola', []],
        ['countess@example.orgada', []],
        ['adalovelace', []],
        ['nobody', []],
      ]
      await inEachStateOfTheIndex(t, engine, app, async (app) => {
        for (const [q, found] of cases) assert.deepEqual(await find(app, q), found, q)
      })
    })

    it('finds one or two characters at the beginning of username, email, first and last name', async (t) => {
      const app = await start(t, engine)
      for (const person of people) await createUser(app, person)
      const cases: [q: string, found: string[]][] = [
        ['a', ['ada', '100%']],
        ['AD', ['ada']],
        ['lo', ['ada']],
        ['co', ['ada']],
        ['ce', []],
        ['é', ['Zola']],
        ['zo', ['Zola']],
        ['ß', []],
        ['gr', ['großmann']],
        ['J.', ['großmann']],
        ['管', ['管理者']],
        ['理', []],
        ['10', ['100%']],
        ['0%', []],
        ['"', []],
        ["o'", ["o'hara"]],
        ['ad lo', ['ada']],
        ['lo, ad', ['ada']],
        ['ad ve', []],
        ['lovelace ad', ['ada']],
        ['lovelace ve', []],
        ['countess lo', ['ada']],
        ['lovelace o', []],
        ['countess lovelace a', ['ada']],
        ['n x', []],
        ["o' an or", ["o'hara"]],
      ]
      await inEachStateOfTheIndex(t, engine, app, async (app) => {
        for (const [q, found] of cases) assert.deepEqual(await find(app, q), found, q)
      })
    })

    it('takes every character literally, even those with a meaning to an index', async (t) => {
      const app = await start(t, engine)
      for (const person of people) await createUser(app, person)
      const cases: [q: string, found: string[]][] = [
        ['"Katie"', ["o'hara"]],
        ['"""', []],
        ["o'hara", ["o'hara"]],
        ['AND OR NOT', ["o'hara"]],
        ['NEAR(x, 5)', ["o'hara"]],
        ['ada OR zola', []],
        ['ada*', []],
        ['a_b*', ['100%']],
        ['acb*', []],
        ['100%', ['100%']],
        ['1%%', []],
        ['c\\d^e', ['100%']],
        ['username:ada', []],
        ['-ada', []],
        ["'; DROP TABLE users; --", []],
        ['\u0000\u0000\u0000', []],
        ['\n\nada', ['ada']],
        ['%', []],
        ['___', []],
        ['ada %', []],
        ['İADA', []],
        ['ADA\u200b \u0301', ['ada']],
        [', ,', []],
        ['😀😀😀', []],
      ]
      for (const [q, found] of cases) assert.deepEqual(await find(app, q), found, JSON.stringify(q))
      const longest = Array.from({ length: 256 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
      assert.deepEqual(await find(app, longest), [])
      await createUser(app, { username: 'long', last_name: longest })
      assert.deepEqual(await find(app, longest), ['long'])
    })

    it('refuses a search of too many words, wherever it is asked', async (t) => {
      const app = await start(t, engine)
      const q = Array.from({ length: 17 }, (_, i) => `w${i}`).join(' ')
      const repeated = encodeURIComponent(`${'ada '.repeat(60)}`)
      assert.equal((await app.call('GET', `/users?q=${repeated}`)).status, 200, 'the same word counts once')
      for (const path of [`/users?q=${encodeURIComponent(q)}`, `/deleted-users?q=${encodeURIComponent(q)}`]) {
        const { status, body } = await app.call('GET', path)
        assert.deepEqual([status, body.errors[0].pointer], [422, '?q'], path)
      }
      const bulk = await app.call('POST', '/users/bulk', { body: { action: 'activate', filter: { q } } })
      assert.deepEqual([bulk.status, bulk.body.errors[0].pointer], [422, '#/filter/q'])
    })

    it('finds values of searchable and unique attributes, as long as they are', async (t) => {
      const app = await start(t, engine)
      const define = (body: object) => app.call('POST', '/attributes', { body })
      await define({ name: 'department', type: 'string', searchable: true })
      await define({ name: 'customer', type: 'string', unique: true })
      await define({ name: 'secret', type: 'string' })
      const attributes = { department: 'Straßenbau', customer: 'C-1023', secret: 'unfindable' }
      const { user_id } = await createUser(app, { username: 'bob', last_name: 'Strasser', attributes })
      await createUser(app, { username: 'eve', last_name: 'C-1023' })
      await inEachStateOfTheIndex(t, engine, app, async (app) => {
        assert.deepEqual(await find(app, 'strassenbau bob'), ['bob'])
        assert.deepEqual(await find(app, 'c-10 bau'), ['bob'])
        assert.deepEqual(await find(app, 'C-1023'), ['bob', 'eve'])
        assert.deepEqual(await find(app, 'unfindable'), [])
      })
      await app.call('PATCH', `/users/${user_id}`, {
        body: { attributes: { department: 'Hochbau' }, first_name: 'Bo' },
      })
      assert.deepEqual([await find(app, 'strassenbau'), await find(app, 'hochbau')], [[], ['bob']])
      await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Bob' } })
      assert.deepEqual(await find(app, 'hochbau bo'), ['bob'])
      await app.call('PATCH', '/attributes/secret', { body: { searchable: true } })
      assert.deepEqual(await find(app, 'unfindable'), ['bob'])
      await app.call('PATCH', '/attributes/department', { body: { searchable: false } })
      assert.deepEqual(await find(app, 'hochbau'), [])
      await app.call('DELETE', '/attributes/secret')
      assert.deepEqual(await find(app, 'unfindable'), [])
      await app.call('DELETE', `/users/${user_id}`)
      const deleted = await app.call('GET', '/deleted-users?q=c-1023+strasser&count=true&limit=1')
      assert.equal(deleted.headers['total-count'], '1')
      await app.call('POST', `/users/${user_id}/restore`)
      assert.deepEqual(await find(app, 'c-1023 strasser'), ['bob'])
    })

    it('shows users whom a search names exactly first, once, and in pages', async (t) => {
      const app = await start(t, engine)
      await app.call('POST', '/attributes', { body: { name: 'customer', type: 'string', unique: true } })
      await createUser(app, { username: 'first', last_name: 'K-200 Ltd' })
      const second = await createUser(app, { username: 'second', external_id: 'K-200' })
      await createUser(app, { username: 'third', attributes: { customer: 'K-200' } })
      await createUser(app, { username: 'fourth', last_name: 'k-200' })
      assert.deepEqual(await find(app, ' K-200 '), ['second', 'third', 'first', 'fourth'])
      assert.deepEqual(await find(app, String(second.user_id).toUpperCase()), ['second'])
      for (const sort of ['', '&sort=-username']) {
        const rest = sort === '' ? ['first', 'fourth'] : ['fourth', 'first']
        const inPages: string[] = []
        for (let path: string | undefined = `/users?q=K-200&limit=1&count=true${sort}`; path !== undefined; ) {
          const response = await app.call('GET', path)
          assert.equal(response.headers['total-count'], '4')
          inPages.push(...(response.body as { username: string }[]).map(({ username }) => username))
          path = /<\/auth([^>]+)>/.exec(response.headers.link ?? '')?.[1]
        }
        assert.deepEqual(inPages, ['second', 'third', ...rest])
      }
      const some = await app.call('GET', '/users?q=K-200&limit=2&offset=1&external_id=K-200')
      assert.deepEqual(some.body, [], 'the other filters hold for them too')
      const bulk = await app.call('POST', '/users/bulk?dry_run=true', {
        body: { action: 'deactivate', filter: { q: 'K-200' } },
      })
      assert.match(bulk.text, /"total":4/)
    })

    it('suggests the closest users for a search with typing errors', async (t) => {
      const app = await start(t, engine)
      for (const [username, first_name, last_name] of [
        ['ck', 'Catherine', 'Krüger'],
        ['pm', 'Paul', 'Müller'],
        ['al', 'Ada', 'Lovelace'],
        ['jd', 'John', 'Doe'],
        ['mi', 'Anna-Maria', 'Miller'],
        ['jg', 'Jürgen', 'Großmann'],
      ] as const) {
        await createUser(app, { username, first_name, last_name, email: `${first_name}.${last_name}@example.org` })
      }
      const cases: [q: string, closest: string | undefined][] = [
        ['Cathrine Kruger', 'ck'],
        ['kruger cathrine', 'ck'],
        ['müler', 'pm'],
        ['Lovleace, Ada', 'al'],
        ['jhon doe', 'jd'],
        ['lovelance', 'al'],
        ['grosmann', 'jg'],
        ['anna maria miler', 'mi'],
        ['Paul.Muler@exmple.org', 'pm'],
        ['Dr Catherine Elisabeth Kruger', 'ck'],
        ['xyzzy plugh', undefined],
        ['%_%', undefined],
        ['"" OR *', undefined],
        ['ab', undefined],
      ]
      await inEachStateOfTheIndex(t, engine, app, async (app) => {
        for (const [q, username] of cases) {
          const { status, body } = await app.call('GET', `/users/closest?q=${encodeURIComponent(q)}`)
          assert.deepEqual([status, body[0]?.username], [200, username], q)
          assert.ok(body.length <= 3)
        }
      })
      assert.equal((await app.call('GET', '/users/closest')).status, 422)
      assert.equal((await app.call('GET', `/users/closest?q=${'a '.repeat(128)}`)).status, 200)
      assert.equal((await app.call('GET', `/users/closest?q=${'ab'.repeat(129)}`)).status, 422)
    })

    it('keeps any order even if more users match than are sorted separately', async (t) => {
      const app = await start(t, engine)
      const request = { actor: system, now: Date.now(), requestId: 'test' }
      const numbers = Array.from({ length: 2100 }, (_, i) => String((i * 997) % 2100).padStart(4, '0'))
      const create = (number: string) => {
        const username = `user-${number}`
        return app.storage.change('users.create', { username, username_key: username, last_name: 'Many' }, request)
      }
      for (let at = 0; at < numbers.length; at += 100) await Promise.all(numbers.slice(at, at + 100).map(create))
      const found: string[] = []
      for (let path: string | undefined = '/users?q=many&sort=-username&limit=1000'; path !== undefined; ) {
        const response = await app.call('GET', path)
        found.push(...(response.body as { username: string }[]).map(({ username }) => username))
        path = /<\/auth([^>]+)>/.exec(response.headers.link ?? '')?.[1]
      }
      const expected = numbers.map((number) => `user-${number}`).toSorted()
      assert.deepEqual(found, expected.toReversed())
    })

    it('finds all users for a mark alone, which a search cannot distinguish', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'ada' })
      assert.deepEqual(await find(app, '\u0301'), ['ada'])
    })

    it('follows each change: new texts are found, old ones and deleted users no more', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app, { username: 'ada', last_name: 'Byron' })
      const deleted = await createUser(app, { username: 'gone', last_name: 'Byron' })
      const path = `/users/${user_id}`
      await inEachStateOfTheIndex(t, engine, app, async (app) =>
        assert.deepEqual(await find(app, 'byron'), ['ada', 'gone']),
      )

      await app.call('PATCH', path, { body: { last_name: 'King', email: 'ada@lovelace.example' } })
      await app.call('DELETE', `/users/${deleted.user_id}`)
      await createUser(app, { username: 'newcomer', last_name: 'Kingsley' })
      await inEachStateOfTheIndex(t, engine, app, async (app) => {
        assert.deepEqual(await find(app, 'byron'), [])
        assert.deepEqual(await find(app, 'gone'), [])
        assert.deepEqual(await find(app, 'lovelace'), ['ada'])
        assert.deepEqual(await find(app, 'king'), ['ada', 'newcomer'])
      })
      await app.call('PATCH', path, { body: { email: null } })
      assert.deepEqual(await find(app, 'lovelace'), [])
    })
  })
}
