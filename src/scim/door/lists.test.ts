/** Lists over HTTP: filters, order and pages (RFC 7644 §3.4.2 and §3.4.3, RFC 9865). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { engines } from '../../../test/harness.ts'
import { assertRefused, type Body, connect, connectTo, filtered, type Provider } from '../../../test/scim/provider.ts'
import { system } from '../../core/actor.ts'
import { scopeOf } from '../../core/scope.ts'
import { parseFilter } from '../filter/parser.ts'
import { isServedByIndex, type List } from '../lists/served-by-index.ts'
import type { UsersAsked } from '../lists/users.ts'
import { bulkRequestUrn, enterpriseUserUrn, listResponseUrn, searchRequestUrn, userUrn } from '../protocol/urns.ts'

const people = [
  {
    schemas: [userUrn, enterpriseUserUrn],
    userName: 'bjensen',
    externalId: 'X-1',
    name: { givenName: 'Barbara', familyName: "O'Malley" },
    title: 'Tour Guide',
    userType: 'Employee',
    emails: [
      { value: 'bjensen@example.com', type: 'work', primary: true },
      { value: 'babs@jensen.org', type: 'home' },
    ],
    ims: [{ value: 'babs@foo.com', type: 'xmpp' }],
    [enterpriseUserUrn]: { department: 'Tour Operations', employeeNumber: '701' },
  },
  {
    userName: 'JSmith',
    name: { givenName: 'Jane', familyName: 'Smith' },
    userType: 'Intern',
    emails: [{ value: 'jane@example.org', type: 'work' }],
    active: false,
  },
  { userName: 'örsted', title: '', emails: [{ value: 'hans@example.org', type: 'other' }] },
  { userName: 'quote"s', title: 'Back\\slash' },
]

async function createProvider({ createUser, createGroup }: Provider): Promise<string[]> {
  const ids: string[] = []
  for (const person of people) ids.push((await createUser(person)).id)
  await createGroup('Tour Guides ', ids.slice(0, 2))
  await createGroup('Drivers', ids.slice(1, 2))
  return ids
}

const names = (list: Body): string[] => (list.Resources as Body[]).map((one) => String(one.userName ?? one.displayName))

/** A condition on titles costs 7,820 comparisons, and one on ims 500. */
async function createPeople({ scim }: Provider): Promise<void> {
  const ims = Array.from({ length: 50 }, (_, n) => ({ value: `im${n}` }))
  const Operations = Array.from({ length: 10 }, (_, n) => ({
    method: 'POST',
    path: '/Users',
    bulkId: `u${n}`,
    data: { schemas: [userUrn], userName: `user${n}`, externalId: `x${n}`, title: 'a'.repeat(50_000), ims },
  }))
  const { body } = await scim('POST', '/Bulk', { schemas: [bulkRequestUrn], Operations })
  assert.ok(body.Operations.every(({ status }: { status: string }) => status === '201'))
}

const either = (condition: string, times: number) => Array(times).fill(condition).join(' or ')
const tooCostly = either('title co "q"', 129)
const costly = either('ims co "q"', 1000)

function queryOf(filter: string, known: number): UsersAsked {
  const page = { by: 'index', startIndex: 1, count: 10 } as const
  const request = { filter: parseFilter(filter), sortBy: undefined, descending: false, page, projection: {} }
  return {
    endpoint: '/Users',
    request,
    base: '',
    booleansAsText: false,
    now: Date.now(),
    known,
    scope: scopeOf(system),
  }
}

const reader = { actor: { kind: 'system', id: 'test', name: 'test', permissions: [] } } as const

for (const engine of engines) {
  describe(`lists of SCIM on ${engine.name}`, () => {
    it('have exactly those that the filter describes', async (t) => {
      const provider = await connect(t, engine)
      const [first] = await createProvider(provider)
      const cases: [filter: string, names: string[]][] = [
        // The examples of RFC 7644 §3.4.2.2, figure 1.
        ['userName eq "bjensen"', ['bjensen']],
        [`name.familyName co "O'Malley"`, ['bjensen']],
        ['userName sw "J"', ['JSmith']],
        [`${userUrn}:userName sw "J"`, ['JSmith']],
        ['title pr', ['bjensen', 'quote"s']],
        ['meta.lastModified gt "2011-05-13T04:42:34Z"', ['bjensen', 'JSmith', 'örsted', 'quote"s']],
        ['meta.lastModified lt "2011-05-13T04:42:34Z"', []],
        ['title pr and userType eq "Employee"', ['bjensen']],
        ['title pr or userType eq "Intern"', ['bjensen', 'JSmith', 'quote"s']],
        ['schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"', ['bjensen']],
        ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', ['bjensen']],
        ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', ['quote"s']],
        ['userType eq "Employee" and (emails.type eq "work")', ['bjensen']],
        ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', ['bjensen']],
        [
          'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
          ['bjensen'],
        ],
        // Both conditions must hold for one value.
        ['emails[type eq "home" and value co "@example.com"]', []],
        ['emails.type eq "home" and emails.value co "@example.com"', ['bjensen']],
        ['emails[type eq "work"].value eq "babs@jensen.org"', []],
        // Case: of names and operators never, of values as the schema says.
        ['USERNAME EQ "BJENSEN"', ['bjensen']],
        ['externalId eq "X-1"', ['bjensen']],
        ['externalId eq "x-1"', []],
        ['userName eq "ÖRSTED"', ['örsted']],
        ['userName eq "\\u00f6rsted"', ['örsted']],
        ['userName eq "quote\\"s"', ['quote"s']],
        ['title eq "Back\\\\slash"', ['quote"s']],
        // The precedence of §3.4.2.2: not, and, or.
        ['userName eq "jsmith" or title pr and active eq false', ['JSmith']],
        ['(userName eq "jsmith" or title pr) and active eq true', ['bjensen', 'quote"s']],
        ['not (active eq true)', ['JSmith']],
        ['active ne true', ['JSmith']],
        ['title eq null', ['JSmith']],
        ['userName ew "n"', ['bjensen']],
        ['userName gt "k" and userName lt "r"', ['quote"s']],
        ['userName ge "jsmith" and userName le "jsmith"', ['JSmith']],
        [`${enterpriseUserUrn}:department co "operations"`, ['bjensen']],
        [`${enterpriseUserUrn}:employeeNumber eq "701" and active eq true`, ['bjensen']],
        [`id eq "${first}"`, ['bjensen']],
        ['id eq "nobody"', []],
        ['emails.value eq "HANS@example.org"', ['örsted']],
        ['groups.display eq "drivers"', ['JSmith']],
        ['userName eq "nobody"', []],
      ]
      for (const [filter, expected] of cases) {
        const get = await provider.scim('GET', `/Users?${filtered(filter)}`)
        assert.equal(get.status, 200, `${filter}: ${get.text}`)
        assert.deepEqual([get.body.schemas, get.body.totalResults], [[listResponseUrn], expected.length], filter)
        assert.deepEqual(names(get.body), expected, filter)
        const search = await provider.scim('POST', '/Users/.search', { schemas: [searchRequestUrn], filter })
        assert.deepEqual(search.body, get.body, filter)
      }
      for (const [filter, expected] of [
        ['displayName eq "tour guides"', ['Tour Guides']],
        ['displayName eq "Tour Guides "', ['Tour Guides']],
        ['displayName sw "D" or displayName co "guide"', ['Drivers', 'Tour Guides']],
        [`members.value eq "${first}"`, ['Tour Guides']],
        [`members[value eq "${first}"]`, ['Tour Guides']],
        ['members.display eq "jsmith" and not (displayName eq "Drivers")', ['Tour Guides']],
        ['members pr', ['Drivers', 'Tour Guides']],
        ['externalId pr', []],
      ] as [string, string[]][]) {
        const { body, text } = await provider.scim('GET', `/Groups?${filtered(filter)}`)
        assert.deepEqual([body.totalResults, names(body)], [expected.length, expected], `${filter}: ${text}`)
      }
    })

    it('refuse a filter that they cannot judge, and never return all or none', async (t) => {
      const provider = await connect(t, engine)
      await createProvider(provider)
      const filters = [
        '',
        'userName',
        'userName eq',
        'userName eq ada',
        'userName is "ada"',
        'userName eq "ada" and',
        'userName eq "ada" xor title pr',
        '(userName eq "ada"',
        'emails[type eq "work"',
        'emails[type eq "work"]]',
        'colour eq "red"',
        'userName eq "jsmith" and colour eq "red"',
        'name.colour pr',
        'urn:example:User:colour pr',
        'active gt true',
        'active eq "maybe"',
        'userName eq 5',
        'password eq "x"',
        'password pr',
        'meta.created gt "yesterday"',
        'userName[value eq "x"]',
        '__proto__ pr',
        `${'('.repeat(40)}title pr${')'.repeat(40)}`,
        'title pr or '.repeat(2000).concat('title pr'),
      ]
      for (const filter of filters) {
        for (const endpoint of ['/Users', '/Groups', '']) {
          const response = await provider.scim('POST', `${endpoint}/.search`, { schemas: [searchRequestUrn], filter })
          // At the root an attribute that no type has is refused too.
          assertRefused(response, 400, 'invalidFilter')
        }
      }
    })

    it('of all types treat attributes of another type as without a value', async (t) => {
      const provider = await connect(t, engine)
      await createProvider(provider)
      const search = async (filter: string) => {
        const post = await provider.scim('POST', '/.search', { schemas: [searchRequestUrn], filter })
        const get = await provider.scim('GET', `?${filtered(filter)}`)
        assert.equal(post.status, 200, post.text)
        assert.deepEqual(get.body, post.body)
        return names(post.body)
      }
      assert.deepEqual(await search('userName eq "bjensen" or displayName eq "drivers"'), ['bjensen', 'Drivers'])
      assert.deepEqual(await search('meta.resourceType eq "Group"'), ['Drivers', 'Tour Guides'])
      assert.deepEqual(await search('title pr and displayName eq "Drivers"'), [])
      assert.deepEqual(await search('not (userName pr)'), ['Drivers', 'Tour Guides'])
      assert.deepEqual(await search('externalId eq "X-1"'), ['bjensen'])
      const page = await provider.scim('GET', '?startIndex=4&count=2')
      assert.deepEqual([page.body.totalResults, names(page.body)], [6, ['quote"s', 'Drivers']])
      const rest: string[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { body, text } = await provider.scim('GET', `?cursor=${cursor}&count=4`)
        rest.push(...names(body))
        assert.equal(body.totalResults, 6, text)
        cursor = body.nextCursor
      }
      // With a cursor, groups are in the order of their ids.
      assert.deepEqual(rest, ['bjensen', 'JSmith', 'örsted', 'quote"s', 'Tour Guides', 'Drivers'])
    })

    it('follow sortBy and sortOrder', async (t) => {
      const provider = await connect(t, engine)
      await createProvider(provider)
      const sorted = async (query: string) => names((await provider.scim('GET', `/Users?${query}`)).body)
      const byName = ['bjensen', 'JSmith', 'quote"s', 'örsted']
      assert.deepEqual(await sorted('sortBy=userName'), byName)
      assert.deepEqual(await sorted(`sortBy=${userUrn}:username&sortOrder=ASCENDING`), byName)
      assert.deepEqual(await sorted('sortBy=userName&sortOrder=descending'), byName.toReversed())
      const some = (list: string[], from: number, to?: number) => list.slice(from, to).sort()
      const family = await sorted('sortBy=name.familyName')
      assert.deepEqual(
        [family.slice(0, 2), some(family, 2)],
        [
          ['bjensen', 'JSmith'],
          ['quote"s', 'örsted'],
        ],
      )
      const reverse = await sorted('sortBy=name.familyName&sortOrder=descending')
      assert.deepEqual(
        [some(reverse, 0, 2), reverse.slice(2)],
        [
          ['quote"s', 'örsted'],
          ['JSmith', 'bjensen'],
        ],
      )
      assert.deepEqual((await sorted('sortBy=emails')).slice(0, 3), ['bjensen', 'örsted', 'JSmith'])
      assert.deepEqual(await sorted('sortBy=meta.created'), ['bjensen', 'JSmith', 'örsted', 'quote"s'])
      assert.deepEqual(await sorted('sortBy=meta.created&sortOrder=descending&count=1'), ['quote"s'])
      const groups = await provider.scim('GET', '/Groups?sortBy=displayName')
      assert.deepEqual(names(groups.body), ['Drivers', 'Tour Guides'])
      for (const query of ['sortBy=name', 'sortBy=password', 'sortBy=colour', 'sortBy=userName&sortOrder=up']) {
        assertRefused(await provider.scim('GET', `/Users?${query}`), 400, 'invalidValue')
      }
    })

    it('are cut into pages by startIndex and count', async (t) => {
      const provider = await connect(t, engine)
      await createProvider(provider)
      const cases: [query: string, startIndex: number, names: string[]][] = [
        ['', 1, ['bjensen', 'JSmith', 'örsted', 'quote"s']],
        ['startIndex=1&count=2', 1, ['bjensen', 'JSmith']],
        ['startIndex=3&count=100', 3, ['örsted', 'quote"s']],
        ['startIndex=0&count=1', 1, ['bjensen']],
        ['startIndex=-5&count=1', 1, ['bjensen']],
        ['count=0', 1, []],
        ['count=-1', 1, []],
        ['startIndex=5', 5, []],
        ['startIndex=1000000', 1_000_000, []],
        ['count=5000', 1, ['bjensen', 'JSmith', 'örsted', 'quote"s']],
        ['STARTINDEX=2&Count=1', 2, ['JSmith']],
        ['unknown=1&count=1', 1, ['bjensen']],
      ]
      for (const [query, startIndex, expected] of cases) {
        const { status, body, text } = await provider.scim('GET', `/Users?${query}`)
        assert.equal(status, 200, `${query}: ${text}`)
        const { totalResults, itemsPerPage } = body
        assert.deepEqual([totalResults, body.startIndex, itemsPerPage], [4, startIndex, expected.length], query)
        assert.deepEqual(names(body), expected, query)
        assert.equal(body.nextCursor, undefined, query)
      }
      const body = { schemas: [searchRequestUrn], filter: 'userType pr', startIndex: 2, count: 1 }
      const search = await provider.scim('POST', '/Users/.search', body)
      assert.deepEqual([search.body.totalResults, names(search.body)], [2, ['JSmith']])
      for (const query of ['startIndex=one', 'count=1.5', 'count=', 'count=1&count=2']) {
        assertRefused(await provider.scim('GET', `/Users?${query}`), 400, 'invalidValue')
      }
    })

    it('are cut into pages by cursor', async (t) => {
      let now = Date.parse('2026-11-20T09:30:00Z')
      const provider = await connect(t, engine, { clock: () => now })
      await createProvider(provider)
      const get = (query: string) => provider.scim('GET', `/Users?${query}`)
      const first = await get('cursor&count=3')
      assert.deepEqual([first.status, first.body.totalResults, first.body.itemsPerPage], [200, 4, 3], first.text)
      assert.deepEqual([first.body.startIndex, first.body.previousCursor], [undefined, undefined])
      assert.match(first.body.nextCursor, /^[\w.~-]+$/)
      const second = await get(`cursor=${first.body.nextCursor}&count=3`)
      assert.deepEqual([names(second.body), second.body.nextCursor], [['quote"s'], undefined])
      const back = await get(`cursor=${second.body.previousCursor}&count=3`)
      assert.deepEqual(names(back.body), ['bjensen', 'JSmith', 'örsted'])
      for (const count of [0, -1]) {
        const none = await get(`cursor=&count=${count}`)
        assert.deepEqual([none.status, none.body.totalResults, none.body.Resources], [200, 4, []], none.text)
      }
      assertRefused(await get('cursor=&count=many'), 400, 'invalidCount')
      assertRefused(await get(`cursor=${first.body.nextCursor}&filter=title%20pr`), 400, 'invalidCursor')
      assertRefused(await get(`cursor=${first.body.nextCursor}&sortBy=title`), 400, 'invalidCursor')
      assertRefused(await get('cursor=%00'), 400, 'invalidCursor')
      assertRefused(await get('cursor=&startIndex=2'), 400, 'invalidCursor')
      assertRefused(await provider.scim('GET', `/Groups?cursor=${first.body.nextCursor}`), 400, 'invalidCursor')
      const body = { schemas: [searchRequestUrn], sortBy: 'name.familyName', cursor: '', count: 3 }
      const search = await provider.scim('POST', '/Users/.search', body)
      assert.deepEqual([search.body.totalResults, search.body.Resources.length], [4, 3])
      const { nextCursor } = search.body
      const rest = await provider.scim('POST', '/Users/.search', { ...body, cursor: nextCursor })
      assert.deepEqual([rest.body.Resources.length, rest.body.nextCursor], [1, undefined])
      now += 3601 * 1000
      assertRefused(await get(`cursor=${first.body.nextCursor}&count=3`), 400, 'expiredCursor')
    })

    it('show each resource once, there and back, whatever is created and deleted meanwhile', async (t) => {
      const { scim, createUser, createGroup } = await connect(t, engine)
      const people = {
        '/Users': () => createUser({ title: 'Eng', userType: 'b' }),
        '/Groups': () => createGroup(nextName()),
      }
      let created = 0
      const nextName = () => `Group ${++created}`
      const cases: [path: '/Users' | '/Groups' | '', query: string][] = [
        ['/Users', ''],
        ['/Users', 'filter=title eq "Eng"'],
        ['/Users', 'filter=title eq "Eng" and userName pr&sortBy=userName&sortOrder=descending'],
        ['/Users', 'filter=active eq true'],
        ['/Users', 'filter=meta.created gt "2020-01-01T00:00:00Z"&sortBy=meta.created'],
        ['/Users', 'sortBy=userName'],
        ['/Users', 'sortBy=userName&sortOrder=descending'],
        ['/Users', 'sortBy=title'],
        ['/Users', 'sortBy=name.familyName&sortOrder=descending'],
        ['/Groups', ''],
        ['/Groups', 'filter=displayName sw "Group"&sortBy=displayName'],
        ['/Groups', 'sortBy=displayName&sortOrder=descending'],
        ['', ''],
        ['', 'filter=meta.created gt "2020-01-01T00:00:00Z"'],
        ['', 'sortBy=meta.created&sortOrder=descending'],
      ]
      for (const [path, query] of cases) {
        const kinds: ('/Users' | '/Groups')[] = path === '' ? ['/Users', '/Groups'] : [path]
        for (const kind of kinds) for (let n = 0; n < (path === '' ? 4 : 8); n++) await people[kind]()
        const pageAt = async (cursor: string) => {
          const response = await scim('GET', `${path || '/'}?${query.replaceAll(' ', '%20')}&count=3&cursor=${cursor}`)
          assert.equal(response.status, 200, response.text)
          return { ...response.body, ids: response.body.Resources.map(({ id }: Body) => id) }
        }
        const remove = async (id: string, page: Body) => {
          const { meta } = (page.Resources as Body[]).find((one) => one.id === id) as { meta: { location: string } }
          await scim('DELETE', new URL(meta.location, 'http://x').pathname.replace('/auth/scim/v2', ''))
        }
        const whole = (await scim('GET', `${path || '/'}?${query.replaceAll(' ', '%20')}&count=100&cursor`)).body
        const all: string[] = whole.Resources.map(({ id }: Body) => id)
        assert.equal(all.length, 8, `${path}?${query}`)
        // One of each page is deleted before the next one is requested: its first, then its last.
        const forth: string[] = []
        let page = await pageAt('')
        const deleted = new Set<string>()
        for (let n = 0; ; n++) {
          forth.push(...page.ids)
          if (page.nextCursor === undefined) break
          const victim = page.ids.at(n === 0 ? 0 : -1) as string
          deleted.add(victim)
          await remove(victim, page)
          page = await pageAt(page.nextCursor)
        }
        assert.deepEqual(forth, all, `${path}?${query}`)
        const back: string[] = [...page.ids]
        while (page.previousCursor !== undefined) {
          page = await pageAt(page.previousCursor)
          back.unshift(...page.ids)
        }
        assert.deepEqual(
          back,
          all.filter((id) => !deleted.has(id)),
          `back: ${path}?${query}`,
        )
        // And forth again.
        const again = [...page.ids]
        while (page.nextCursor !== undefined) {
          page = await pageAt(page.nextCursor)
          again.push(...page.ids)
        }
        assert.deepEqual(again, back, `again: ${path}?${query}`)
        assert.equal(page.totalResults, back.length)
        const rest = (await scim('GET', `${path || '/'}?count=100`)).body
        for (const id of rest.Resources.map((one: Body) => one.id)) await remove(id, rest)
      }
    })

    it('without an index are bounded', async (t) => {
      const provider = await connect(t, engine)
      const { app, scim } = provider
      const { storage } = app
      await createPeople(provider)
      const search = (path: string, filter: string, by = provider) =>
        by.scim('POST', `${path}/.search`, { schemas: [searchRequestUrn], filter, attributes: 'userName' })

      await t.test('by conditions times users and values, whatever the path', async () => {
        const refusals = [
          await scim('GET', `/Users?${filtered(tooCostly)}`),
          await search('/Users', `active eq true and (${tooCostly})`),
          await search('', tooCostly),
        ]
        for (const refused of refusals) {
          assertRefused(refused, 400, 'tooMany')
          assert.match(refused.body.detail, /Use fewer conditions, or filter by id, userName/)
        }
        // An index selects one user to compare.
        const one = await search('/Users', `userName eq "user1" and (${tooCostly})`)
        assert.deepEqual([one.status, one.body.totalResults], [200, 0])
        // Refused before any user is read.
        const find = (filter: string, users: number) => storage.query('scim.search', queryOf(filter, users), reader)
        await assert.rejects(find(either('nickName pr', 1000), 1001), /more than 1000 users would have to be looked at/)
        await assert.rejects(find('nickName pr', 50_001), /more than 50000 users/)
        assert.equal((await find(either('nickName pr', 1000), 1000)).total, 0)
      })

      await t.test('to one at a time for each connection, while a few wait', async () => {
        const other = await connectTo(app)
        const finished: string[] = []
        const run = async (by: Provider, name: string) => {
          const response = await search('/Users', costly, by)
          finished.push(name)
          return response
        }
        const responses = await Promise.all([
          ...Array.from({ length: 6 }, () => run(provider, 'first')),
          run(other, 'second'),
          // Served by an index.
          search('/Users', 'externalId eq "x1" or externalId eq "x2"'),
        ])
        assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 200, 200, 429, 429])
        assert.equal(responses.at(-1)?.body.totalResults, 2)
        for (const refused of responses.filter(({ status }) => status === 429)) {
          assertRefused(refused, 429)
          assert.equal(refused.headers['retry-after'], '2')
        }
        // It took a turn between those of the first.
        assert.equal(finished.at(-1), 'first', finished.join())
        assert.equal((await search('/Users', 'nickName pr')).status, 200)
      })

      await t.test('to the time until the client leaves', async () => {
        const left = new AbortController()
        const search = storage.query('scim.search', queryOf(costly, 10), { ...reader, signal: left.signal })
        search.catch(() => {}) // It may fail while this test sleeps.
        await sleep(15)
        left.abort()
        await assert.rejects(search, /The client disconnected/)
      })
    })
  })
}

describe('an index serves a list', () => {
  it('if it finds the few resources to compare, or a page of all', () => {
    const keys = (name: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${name} eq "${n}"`).join(' or ')
    const cases: [endpoint: List['endpoint'], filter: string, isServed: boolean][] = [
      ['/Users', 'userName eq "a" and title pr', true],
      ['/Users', keys('userName', 3), true],
      ['/Users', keys('externalId', 3), true],
      ['/Users', keys('id', 3), true],
      ['/Users', keys('id', 501), false],
      ['/Users', keys('emails.value', 3), true],
      ['/Users', 'emails[type eq "work" and value eq "a"]', true],
      ['/Users', 'active eq false', true],
      ['/Users', 'active eq true and title pr', false],
      ['/Users', 'meta.created eq "2026-01-01T00:00:00Z"', false],
      ['/Users', 'displayName eq "a"', false],
      ['/Users', 'userName eq "a" or title pr', false],
      ['/Groups', 'displayName eq "a"', true],
      ['/Groups', 'members.value eq "a" and displayName co "b"', true],
      ['/Groups', 'displayName co "a"', false],
      ['/Groups', 'id pr', false],
      ['', 'id eq "a"', true],
      ['', 'userName eq "a"', false],
    ]
    for (const [endpoint, filter, isServed] of cases) {
      const { request } = queryOf(filter, 0)
      assert.equal(isServedByIndex({ endpoint, request, booleansAsText: false }), isServed, `${endpoint} ${filter}`)
    }
  })
})
