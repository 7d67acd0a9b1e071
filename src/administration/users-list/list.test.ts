import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/cases.ts'
import { adminKey, createUser, engines, everyEngine, type Started, start } from '../../../test/harness.ts'
import { fold } from '../../lib/fold.ts'

type User = Record<'user_id' | 'username' | 'first_name' | 'last_name' | 'role' | 'created_at' | 'updated_at', string> &
  Record<'email' | 'external_id' | 'last_login_at', string | null> & {
    active: boolean
    has_password: boolean
    invited?: boolean
    kind?: 'service'
  }
type Page = { users: User[]; total: string | null; isEstimated: boolean; next: string | undefined }

const sorts = ['username', 'email', 'created_at', 'last_login_at'].flatMap((name) => [name, `-${name}`])

/** Reads pages and lists over HTTP, `/users?…` in and users out. */
async function reader(app: Started) {
  const base = await app.listen()
  async function page(path: string): Promise<Page> {
    const response = await fetch(base + path, { headers: { 'x-api-key': adminKey } })
    const body = await response.text()
    assert.equal(response.status, 200, body)
    const next = /^<\/auth(\/users\?[^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
    const isEstimated = response.headers.get('total-count-estimated') === 'true'
    return { users: JSON.parse(body), total: response.headers.get('total-count'), isEstimated, next }
  }
  /** Every page from `path` on; `between` is called after each. */
  async function pages(path: string, between: () => unknown = () => {}): Promise<Page[]> {
    const all = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const one: Page = await page(next)
      all.push(one)
      await between()
      next = one.next
    }
    return all
  }
  return { page, pages }
}

const instant = (minute: number): string => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()
const pick = <T>(list: readonly T[], i: number): T => list[i % list.length] as T

/** Users with ties, gaps and odd letters; the same at each call. */
async function populate(app: Started, clock: { now: number }, size: number): Promise<User[]> {
  const names = ['Ada', 'Émile', 'jürgen', 'Ōe', '', 'Zoë', '李', '𠮷野', 'ΣΟΦΟΣ', 'ada']
  const ids: unknown[] = []
  for (let i = 0; i < size; i++) {
    clock.now = Date.parse(instant(Math.floor(i / 7)))
    const letter = pick(['a', 'B', 'ä', 'Z', '野', '𠮷', '~', '1'], i * 5)
    const user = await createUser(app, {
      username: `${letter}${(i * 37) % size}`,
      first_name: pick(names, i * 3),
      last_name: pick(names, i * 7 + 1),
      role: pick(['user', 'user', 'admin', 'support'], i),
      ...(i % 3 > 0 && { email: `${pick(['Mail', 'post', 'ä'], i)}.${(i * 11) % size}@Example.org` }),
      ...(i % 9 === 4 && { password: 'nanoseconds on a string' }),
      ...(i % 10 === 3 && i % 9 !== 4 && { kind: 'service' }),
      ...(i % 5 > 0 && { external_id: `${pick(['hr', 'HR'], i)}-${i}` }),
    })
    ids.push(user.user_id)
    if (i % 4 === 0) await app.call('PATCH', `/users/${user.user_id}`, { body: { active: false } })
  }
  // Until people can sign in, the moment of their last time is written where signing in will write it.
  const logins = ids.flatMap((id, i) => {
    const at = instant(((i + 1) * 13) % 20)
    const document = `replace(document, '"last_login_at":null', '"last_login_at":"${at}"')`
    const statement = `UPDATE users SET last_login_at = '${at}', document = ${document} WHERE user_id = '${id}'`
    return (i + 1) % 3 > 0 ? [statement] : []
  })
  await app.runSql(logins.join(';'))
  return (await app.call('GET', '/users')).body
}

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The order as the docs say it, without an index: rows without a value are the smallest, ties have the default order. */
function sorted(users: User[], sort: string | undefined): User[] {
  const member = sort?.replace('-', '') as 'username' | 'email' | 'created_at' | 'last_login_at' | undefined
  const keyOf = (user: User): string => (member === undefined ? '' : (user[member]?.toLowerCase() ?? ''))
  const order = users.toSorted((a, b) => byCodePoint(keyOf(a), keyOf(b)) || byCodePoint(a.user_id, b.user_id))
  return sort?.startsWith('-') ? order.reverse() : order
}

type Query = Partial<
  Record<
    | 'q'
    | 'role'
    | 'active'
    | 'invited'
    | 'kind'
    | 'has_password'
    | 'has_signed_in'
    | 'inactive_since'
    | 'username'
    | 'email'
    | 'external_id'
    | 'sort',
    string
  >
> &
  Partial<Record<`${'created' | 'last_login'}_${'after' | 'before'}`, string>> & { user_id?: string[] }

/** Whether a search names the user exactly: such users come first. */
function isMeant(user: User, { q }: Query): boolean {
  if (q === undefined) return false
  return user.external_id === q || (q.length >= 8 && user.user_id.startsWith(q.toLowerCase()))
}

function isContained(user: User, q: string): boolean {
  const words = q.split(/[\s,]+/).map(fold)
  const fields = [user.username, user.email ?? '', user.first_name, user.last_name].map(fold)
  if (words.some((word) => [...word].length > 2)) {
    return words.every((word) => fields.some((one) => one.includes(word)))
  }
  const all = fields.flatMap((one) => one.split(' '))
  return (
    words.every((word) => all.some((one) => one.startsWith(word))) &&
    words.some((word) => fields.some((one) => one.startsWith(word)))
  )
}

function isFound(user: User, query: Query): boolean {
  const { last_login_at, created_at } = user
  const conditions = [
    query.q === undefined || isContained(user, query.q) || isMeant(user, query),
    query.inactive_since === undefined || (last_login_at ?? created_at) < query.inactive_since,
    query.role === undefined || user.role === query.role,
    query.active === undefined || String(user.active) === query.active,
    query.invited === undefined || String(user.invited ?? false) === query.invited,
    query.kind === undefined || (user.kind ?? 'person') === query.kind,
    query.has_password === undefined || String(user.has_password) === query.has_password,
    query.has_signed_in === undefined || String(last_login_at !== null) === query.has_signed_in,
    query.username === undefined || user.username.toLowerCase() === query.username.toLowerCase(),
    query.email === undefined || user.email?.toLowerCase() === query.email.toLowerCase(),
    query.external_id === undefined || user.external_id === query.external_id,
    query.user_id === undefined || query.user_id.includes(user.user_id),
    query.created_after === undefined || user.created_at > query.created_after,
    query.created_before === undefined || user.created_at < query.created_before,
    query.last_login_after === undefined || (last_login_at !== null && last_login_at > query.last_login_after),
    query.last_login_before === undefined || (last_login_at !== null && last_login_at < query.last_login_before),
  ]
  return conditions.every(Boolean)
}

function urlOf(query: Query & { limit?: number; offset?: number; count?: boolean | 'estimate' }): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) parameters.append(name, String(one))
  return `/users?${parameters}`
}

for (const engine of everyEngine) {
  const env = { ROLLBOOK_ROLES: '{"support": ["users:read"]}' }

  describe(`the list of users on ${engine.name}`, () => {
    it('contains every user in the order of user_id, which is the order of creation', async (t) => {
      const app = await start(t, engine)
      assert.deepEqual((await app.call('GET', '/users')).body, [])
      const users = []
      for (const username of ['c', 'a', 'b']) users.push(await createUser(app, { username }))
      assert.deepEqual((await app.call('GET', '/users')).body, users)
      const ids = users.map(({ user_id }) => String(user_id))
      assert.deepEqual(ids, ids.toSorted())
    })

    it('matches a check of each user, in every order and filter, in pages and whole', async (t) => {
      const clock = { now: 0 }
      const app = await start(t, engine, { env, clock: () => clock.now })
      const users = await populate(app, clock, 90)
      const { page, pages } = await reader(app)
      const some = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 })
      const seldom = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 6 })
      const minute = fc.option(fc.integer({ min: 0, max: 20 }).map(instant), { nil: undefined, freq: 4 })
      const query = fc.record({
        sort: some(sorts),
        q: fc.option(
          fc.constantFrom(
            ...['a', 'AD', 'ada', 'ÉMI', 'example.org', '野', '𠮷', 'σοφ', 'ada é', 'rge', 'nobody'],
            ...['é, ada', 'org mail exa', 'a é', 'z oe', 'mail.11 ada'],
            ...[users[3]?.external_id ?? '', users[7]?.user_id ?? '', users[7]?.user_id.slice(0, 13) ?? ''],
          ),
          {
            nil: undefined,
            freq: 3,
          },
        ),
        role: seldom(['user', 'admin', 'support', 'nobody']),
        active: seldom(['true', 'false']),
        invited: seldom(['true', 'false']),
        kind: seldom(['person', 'service']),
        has_password: seldom(['true', 'false']),
        has_signed_in: seldom(['true', 'false']),
        created_after: minute,
        created_before: minute,
        inactive_since: minute,
        last_login_after: minute,
        last_login_before: minute,
        username: seldom(users.slice(0, 5).map(({ username }) => username.toUpperCase())),
        email: seldom(users.slice(0, 5).map(({ email }) => email?.toLowerCase() ?? 'x@example.org')),
        external_id: seldom(users.slice(0, 5).map(({ external_id }) => external_id ?? 'hr-none')),
        user_id: fc.option(
          fc.subarray(
            users.map(({ user_id }) => user_id),
            { minLength: 1 },
          ),
          { nil: undefined, freq: 4 },
        ),
      })
      const sizes = fc.constantFrom(1, 7, 30, 89, 90, 91)
      const property = fc.asyncProperty(query, sizes, fc.nat(95), async (filters, limit, offset) => {
        const input = JSON.parse(JSON.stringify(filters)) as Query
        const inOrder = sorted(
          users.filter((user) => isFound(user, input)),
          input.sort,
        )
        const meant = inOrder
          .filter((user) => isMeant(user, input))
          .toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))
        const expected = [...meant, ...inOrder.filter((user) => !isMeant(user, input))]
        const whole = await page(urlOf({ ...input, count: true }))
        assert.deepEqual(whole.users, expected)
        assert.equal(whole.total, String(expected.length))
        // One by one takes long and is worth it for short lists only.
        const inPages = await pages(
          urlOf({ ...input, limit: expected.length > 12 ? Math.max(limit, 7) : limit, count: true }),
        )
        assert.deepEqual(
          inPages.flatMap(({ users }) => users),
          expected,
        )
        for (const { total } of inPages) assert.equal(total, String(expected.length))

        const place = await page(urlOf({ ...input, limit, offset, count: 'estimate' }))
        assert.deepEqual(place.users, expected.slice(offset, offset + limit))
        if (!place.isEstimated) assert.equal(place.total, String(expected.length))
        assert.equal(place.next !== undefined, offset + limit < expected.length)
        if (place.next === undefined) return
        assert.doesNotMatch(place.next, /offset/)
        assert.deepEqual((await page(place.next)).users, expected.slice(offset + limit, offset + 2 * limit))
        const further = await page(`${place.next}&offset=${offset}`)
        assert.deepEqual(further.users, expected.slice(limit + 2 * offset, 2 * limit + 2 * offset))
      })
      await fc.assert(property, { numRuns: cases(150), seed: 1815 })
    })

    it('returns an approximate count, and the exact count if the end is shown', async (t) => {
      const app = await start(t, engine)
      for (let i = 0; i < 12; i++) await createUser(app, { last_name: i < 5 ? 'Lovelace' : 'Byron' })
      const { page } = await reader(app)
      const exact = { total: '5', isEstimated: false }
      for (const path of ['limit=5&q=lovelace', 'limit=9&q=lovelace', 'limit=2&offset=3&q=lovelace']) {
        const { total, isEstimated } = await page(`/users?${path}&count=estimate`)
        assert.deepEqual({ total, isEstimated }, exact, path)
      }
      // Never fewer than are seen: those left out, those shown, and that there are more.
      for (const path of ['limit=3', 'limit=3&offset=6', 'limit=2&q=lovelace&active=true&has_password=false']) {
        const { total, next } = await page(`/users?${path}&count=estimate`)
        const { limit, offset = '0' } = Object.fromEntries(new URLSearchParams(path))
        assert.ok(next !== undefined && Number(total) > Number(offset) + Number(limit), `${path}: ${total}`)
      }
      assert.equal((await page('/users?count=estimate')).total, '12', 'a whole list is counted')
      assert.deepEqual(await page('/users?limit=2&offset=2147483647&count=true'), {
        users: [],
        total: '12',
        isEstimated: false,
        next: undefined,
      })
    })

    it('works in every order with pages of one, so that each row is a boundary', async (t) => {
      const clock = { now: 0 }
      const app = await start(t, engine, { env, clock: () => clock.now })
      const users = await populate(app, clock, 24)
      const { pages } = await reader(app)
      for (const sort of [undefined, ...sorts]) {
        const inPages = await pages(urlOf({ ...(sort !== undefined && { sort }), limit: 1 }))
        assert.deepEqual(
          inPages.flatMap(({ users }) => users),
          sorted(users, sort),
          String(sort),
        )
        assert.equal(inPages.length, users.length, 'no empty page at the end')
      }
    })

    it('continues after the longest possible values', async (t) => {
      const app = await start(t, engine)
      const { pages } = await reader(app)
      const letters = ['a', 'é', '野', '𠮷', '\ufdfa'] // The last one is 18 letters in the key.
      for (const [i, letter] of letters.entries()) {
        const longest = (length: number) => letter.repeat(length)
        const username = letter === '\ufdfa' ? `user-${i}` : longest(128)
        await createUser(app, { username, email: `${longest(250)}@x.y`, external_id: longest(255) })
      }
      for (const sort of sorts) assert.equal((await pages(`/users?sort=${sort}&limit=1`)).length, letters.length, sort)
    })

    it('shows each user once in its pages while others come and go', async (t) => {
      const clock = { now: 0 }
      const app = await start(t, engine, { env, clock: () => clock.now })
      const residents = await populate(app, clock, 40)
      const { pages } = await reader(app)
      for (const sort of [undefined, ...sorts]) {
        let visitor: Record<string, unknown> | undefined
        let number = 0
        const seen = await pages(urlOf({ ...(sort !== undefined && { sort }), limit: 7 }), async () => {
          if (visitor) await app.call('DELETE', `/users/${visitor.user_id}`)
          clock.now += 1000
          visitor = await createUser(app, {
            username: `${pick(['!', 'M', '~'], ++number)}visitor`,
            last_name: 'visitor',
          })
        })
        await app.call('DELETE', `/users/${visitor?.user_id}`)
        const found = seen.flatMap(({ users }) => users).filter(({ last_name }) => last_name !== 'visitor')
        assert.deepEqual(found, sorted(residents, sort), String(sort))
      }
    })

    it('continues after a user who has been deleted since', async (t) => {
      const app = await start(t, engine)
      for (const letter of 'abcdef') await createUser(app, { username: `user-${letter}` })
      const { page } = await reader(app)
      for (const query of ['', '&sort=-username', '&q=user']) {
        const { users, next } = await page(`/users?limit=1${query}`)
        await app.call('DELETE', `/users/${users[0]?.user_id}`)
        const rest = await page(`/users?limit=10${query}`)
        assert.deepEqual(await page(String(next).replace('limit=1', 'limit=10')), rest, query)
      }
    })

    it('finds up to 500 users by their ids, in either case', async (t) => {
      const app = await start(t, engine)
      const users = [await createUser(app), await createUser(app), await createUser(app)]
      const ids = users.slice(1).map(({ user_id }) => `user_id=${String(user_id).toUpperCase()}`)
      const others = Array.from({ length: 498 }, (_, i) => `user_id=${i}`)
      assert.deepEqual((await app.call('GET', `/users?${[...ids, ...others].join('&')}`)).body, users.slice(1))
      const response = await app.call('GET', `/users?${[...ids, ...others, 'user_id=1'].join('&')}`)
      assert.equal(response.body.errors[0].code, 'too_many')
    })
  })
}

for (const engine of engines) {
  describe(`the list of users on ${engine.name}`, () => {
    it('links to the next page with the same filters, at the public address', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_PUBLIC_URL: 'https://example.org/console/auth' } })
      for (let i = 0; i < 3; i++) await createUser(app, { first_name: 'A&B' })
      const path = '/users?limit=1&q=a%26b&active=true&user_id=x&count=true&sort=-username'
      assert.equal((await app.call('GET', path)).headers.link, undefined, 'no user has the id x')
      const { link } = (await app.call('GET', path.replace('&user_id=x', ''))).headers
      const url = new URL(/^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1] as string)
      assert.equal(url.origin + url.pathname, 'https://example.org/console/auth/users')
      const { cursor, ...parameters } = Object.fromEntries(url.searchParams)
      assert.deepEqual(parameters, { limit: '1', q: 'a&b', active: 'true', count: 'true', sort: '-username' })
      assert.match(cursor ?? '', /^[\w-]+$/)
    })

    it('compares instants, however they are written', async (t) => {
      const app = await start(t, engine, { clock: () => Date.UTC(2026, 10, 20, 9, 30) })
      await createUser(app)
      const cases: [query: string, found: number][] = [
        ['created_after=2026-11-20T09:30:00Z', 0],
        ['created_after=2026-11-20T09:29:59.999Z', 1],
        ['created_after=2026-11-20T10:29:59%2B01:00', 1],
        ['created_after=2026-11-20T10:30:00%2B01:00', 0],
        ['created_before=2026-11-20T09:30:00Z', 0],
        ['created_before=2026-11-20T09:30:00.0001Z', 1],
        ['created_before=2026-11-20t04:30:01-05:00', 1],
        ['created_before=9999-12-31T23:59:59-23:59', 1],
        ['created_after=0000-01-01T00:00:00%2B23:59', 1],
        ['last_login_after=2000-01-01T00:00:00Z', 0],
      ]
      for (const [query, found] of cases) {
        assert.equal((await app.call('GET', `/users?${query}`)).body.length, found, query)
      }
    })

    it('refuses unknown parameters and values, with a pointer', async (t) => {
      const app = await start(t, engine)
      const cases: [query: string, fault: string][] = [
        ['limit=0', '?limit out_of_range'],
        ['limit=1001', '?limit out_of_range'],
        ['limit=1.5', '?limit wrong_type'],
        ['limit=many', '?limit wrong_type'],
        ['limit=', '?limit wrong_type'],
        ['sort=role', '?sort not_one_of'],
        ['sort=--username', '?sort not_one_of'],
        ['sort=USERNAME', '?sort not_one_of'],
        ['active=maybe', '?active wrong_type'],
        ['count=1', '?count wrong_type'],
        ['q=', '?q too_short'],
        [`q=${'x'.repeat(257)}`, '?q too_long'],
        ['created_after=yesterday', '?created_after wrong_format'],
        ['created_after=2026-02-30T00:00:00Z', '?created_after wrong_format'],
        ['last_login_before=2026-01-01', '?last_login_before wrong_format'],
        ['offset=5', '?limit missing_member'],
        ['limit=5&offset=-1', '?offset out_of_range'],
        ['limit=5&offset=2147483648', '?offset out_of_range'],
        ['limit=5&offset=1.5', '?offset wrong_type'],
        ['count=about', '?count wrong_type'],
        ['has_password=maybe', '?has_password wrong_type'],
        ['has_signed_in=never', '?has_signed_in wrong_type'],
        ['__proto__=5', '?__proto__ unknown_member'],
      ]
      for (const [query, fault] of cases) {
        const response = await app.call('GET', `/users?${query}`)
        assert.equal(response.status, 422, query)
        const [{ pointer, code }] = response.body.errors
        assert.equal(`${pointer} ${code}`, fault)
      }
      for (const [query, said] of [
        ['search=ada', 'There is no parameter "search". Did you mean "q"? Accepted: limit, '],
        ['per_page=5', 'There is no parameter "per_page". Did you mean "limit"?'],
        ['limt=5', 'There is no parameter "limt". Did you mean "limit"?'],
        ['shoe=39', 'There is no parameter "shoe". Accepted: limit, '],
        ['limit=many', 'limit must be an integer.'],
        ['limit=5&limit=6', 'limit must be an integer and be given once.'],
        ['sort=shoe', 'sort must be one of username, -username, '],
        ['count=about', 'count must be true or false or estimate.'],
      ] as const) {
        const { detail } = (await app.call('GET', `/users?${query}`)).body
        assert.ok(detail.startsWith(said), detail)
      }
    })

    it('accepts only its own cursors, and only with the sort they were created for', async (t) => {
      const app = await start(t, engine)
      for (let i = 0; i < 3; i++) await createUser(app)
      const cursorOf = async (query: string): Promise<string> =>
        /cursor=([^&>]+)/.exec((await app.call('GET', `/users?limit=1${query}`)).headers.link ?? '')?.[1] as string
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const strange = [encode({}), encode([]), encode([1]), encode(['x']), encode([null]), encode(['username', {}, 1])]
      for (const cursor of ['x', '%00', '', 'W10', 'bnVsbA', ...strange, await cursorOf('&sort=username')]) {
        const response = await app.call('GET', `/users?limit=1&cursor=${cursor}`)
        assert.deepEqual([response.status, response.body.code], [400, 'bad_cursor'], cursor)
      }
      const cursor = await cursorOf('')
      for (const wrong of [
        cursor,
        encode(['-username', 'x', 1]),
        encode(['username', 1, 1]),
        encode(['username', 'x', 1.5]),
      ]) {
        const response = await app.call('GET', `/users?limit=1&sort=username&cursor=${wrong}`)
        assert.deepEqual([response.status, response.body.code], [400, 'bad_cursor'], wrong)
      }
      // Without a limit it leads to the whole rest.
      assert.equal((await app.call('GET', `/users?cursor=${cursor}`)).body.length, 2)
    })
  })
}
