import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Engine, everyEngine } from '../../../test/harness.ts'
import { connect } from '../../../test/scim/provider.ts'
import { enterpriseUserUrn, groupUrn, userUrn } from '../protocol/urns.ts'

type Body = Record<string, unknown>

async function provider(t: Parameters<typeof connect>[0], engine: Engine) {
  const { app, scim } = await connect(t, engine)
  const make = async (body: Body) => {
    const created = await scim('POST', '/Users', { schemas: [userUrn], ...body })
    assert.equal(created.status, 201, created.text)
    return created.body.id as string
  }
  /** The resources of a list as texts, and those that a read of each user gives. */
  const both = async (query: string) => {
    const listed = await scim('GET', `/Users${query}`)
    assert.equal(listed.status, 200, listed.text)
    const read = []
    for (const { id } of listed.body.Resources) read.push((await scim('GET', `/Users/${id}`)).text)
    const { Resources, ...rest } = listed.body
    // Line feeds may separate resources. Within one, they are escaped.
    assert.equal(listed.text.replaceAll(',\n', ','), JSON.stringify({ ...rest, Resources }))
    return { listed: Resources.map((one: Body) => JSON.stringify(one)), read, body: listed.body }
  }
  return { app, scim, make, both }
}

/** Values that break a text which is put together carelessly. */
const wild = [
  '"',
  '\\',
  '\\"',
  '","id":"',
  '\n\t',
  '\u0001\u001f',
  '\u007f',
  '🦊',
  'Ünïcödé',
  "'); --",
  '\\u0041',
  '</x>',
]

for (const engine of everyEngine) {
  describe(`lists of SCIM that the database writes, on ${engine.name}`, () => {
    it('show the attributes of the enterprise extension, by whichever way they were set', async (t) => {
      const { app, scim, make, both } = await provider(t, engine)
      const early = await make({ userName: 'early', [enterpriseUserUrn]: { department: 'Before', costCenter: '7' } })
      for (const [name, type] of [
        ['department', 'string'],
        ['employee_number', 'number'],
      ] as const) {
        const created = await app.call('POST', '/attributes', { body: { name, type, searchable: true } })
        assert.equal(created.status, 201, created.text)
      }
      const id = await make({
        userName: 'ada',
        [enterpriseUserUrn]: { department: 'Sales', employeeNumber: '0012', manager: { value: early } },
      })
      const attributesOf = async (user: string) => (await app.call('GET', `/users/${user}`)).body.attributes
      assert.deepEqual(await attributesOf(id), { department: 'Sales', employee_number: 12 })
      const found = await app.call('GET', '/users?attributes.department=Sales')
      assert.deepEqual(
        found.body.map(({ user_id }: { user_id: string }) => user_id),
        [id],
      )
      const departmentOf = async (user: string) =>
        (await scim('GET', `/Users/${user}`)).body[enterpriseUserUrn]?.department
      // What was sent before the definition stays as it was sent.
      assert.deepEqual([await departmentOf(early), await attributesOf(early)], ['Before', {}])
      await app.call('PATCH', `/users/${id}?override=true`, { body: { attributes: { department: 'Support' } } })
      assert.equal(await departmentOf(id), 'Support')
      const { user_id } = (await app.call('POST', '/users', { body: { username: 'own' } })).body
      await app.call('PATCH', `/users/${user_id}`, { body: { attributes: { department: 'Own' } } })
      assert.equal(await departmentOf(user_id), 'Own')
      const lists = [await both(''), await both('?filter=userName%20eq%20%22own%22'), await both('?sortBy=userName')]
      for (const { listed, read } of lists) assert.deepEqual(listed, read)

      const patch = (...Operations: Body[]) =>
        scim('PATCH', `/Users/${id}`, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations })
      const path = `${enterpriseUserUrn}:department`
      assert.equal((await patch({ op: 'replace', path, value: 'Sales' })).status, 200)
      assert.deepEqual(await attributesOf(id), { department: 'Sales', employee_number: 12 })
      assert.equal((await patch({ op: 'remove', path })).status, 200)
      assert.deepEqual(await attributesOf(id), { employee_number: 12 })
      const refused = await patch({ op: 'replace', path: `${enterpriseUserUrn}:employeeNumber`, value: 'twelve' })
      assert.deepEqual([refused.status, refused.body.scimType], [400, 'invalidValue'])
      for (const one of [await both('')]) assert.deepEqual(one.listed, one.read)
    })

    it('show each user exactly as a read of that user does', async (t) => {
      const { app, scim, make, both } = await provider(t, engine)
      const ids: string[] = []
      for (const [i, value] of wild.entries()) {
        const printable = value.replaceAll(/\p{Cc}/gu, '')
        ids.push(
          await make({
            schemas: [userUrn, enterpriseUserUrn],
            userName: `user${i}`,
            externalId: `x${i}${printable}`,
            name: { givenName: printable, familyName: i % 2 ? printable : '', formatted: value },
            displayName: value,
            emails: [
              { type: 'home', value: `home${i}@example.com` },
              { type: 'work', value: `work${i}@example.com`, primary: true, display: value },
            ],
            [enterpriseUserUrn]: { department: value },
          }),
        )
      }
      const plain = await app.call('POST', '/users', { body: { username: 'plain' } })
      await app.call('POST', '/users', { body: { username: 'named', last_name: 'Only', email: 'named@example.com' } })
      await make({ userName: 'names', name: { familyName: 'F' } })
      await make({ userName: 'one', name: { middleName: 'M' }, emails: [{ value: 'one@example.com' }] })
      await make({ userName: 'without', emails: [{ type: 'work', display: 'no value' }] })
      const [first = '', second = '', third = '', fourth = ''] = ids
      // What changes here, and not through SCIM.
      const changes: [string, Body][] = [
        [first, { email: 'other@example.com' }],
        [second, { email: null, first_name: '', last_name: '' }],
        [third, { active: false, external_id: null }],
      ]
      for (const [id, body] of changes)
        assert.equal((await app.call('PATCH', `/users/${id}?override=true`, { body })).status, 200)
      const lost = await make({ userName: 'lost', emails: [{ value: 'lost@example.com' }] })
      await app.call('PATCH', `/users/${lost}?override=true`, { body: { email: null } })
      const gained = await make({ userName: 'gained', emails: [{ type: 'work', display: 'no value' }] })
      await app.call('PATCH', `/users/${gained}?override=true`, { body: { email: 'gained@example.com' } })
      for (const [name, members] of [
        ['Zebras "', [first, fourth, plain.body.user_id]],
        ['Apes', [first, second]],
      ] as const) {
        const sent = { schemas: [groupUrn], displayName: name, members: members.map((value) => ({ value })) }
        assert.equal((await scim('POST', '/Groups', sent)).status, 201)
      }
      for (const query of [
        '',
        '?count=3',
        '?startIndex=3&count=4',
        '?cursor=&count=5',
        '?sortBy=userName&sortOrder=descending',
        '?filter=userName eq "USER1"',
        '?filter=externalId eq "x8Ünïcödé"',
        '?filter=externalId eq "x4" and userName eq "user4"',
        '?filter=userName eq "user0"&count=1',
        '?filter=active eq false',
        `?filter=id eq "${first}" or id eq "${lost}"`,
      ]) {
        const { listed, read } = await both(encodeURI(query))
        assert.deepEqual(listed, read, query)
        assert.ok(listed.length > 0, query)
      }
      for (const query of ['?filter=userName eq "nobody"', '?filter=externalId eq "x4" and userName eq "user0"']) {
        const { body } = await both(encodeURI(query))
        assert.deepEqual([body.totalResults, body.Resources], [0, []])
      }
      const { body } = await both('')
      const of = (id: string) => body.Resources.find((one: Body) => one.id === id)
      assert.deepEqual(
        of(first).groups.map(({ display }: Body) => display),
        ['Apes', 'Zebras "'],
      )
      assert.equal(of(lost).emails, undefined)
      assert.deepEqual(of(first).emails[1].value, 'other@example.com')
      assert.equal(body.totalResults, body.itemsPerPage)
    })

    it('are the same for requests that arrive together, and show every change before them', async (t) => {
      const { scim, make } = await provider(t, engine)
      const id = await make({ userName: 'first', title: 'before' })
      for (const title of ['once', 'twice', 'thrice']) {
        const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
        const Operations = [{ op: 'replace', path: 'title', value: title }]
        assert.equal((await scim('PATCH', `/Users/${id}`, { schemas, Operations })).status, 200)
        const queries = [
          '?count=5',
          '?count=5',
          '?count=4',
          '?filter=userName eq "first"',
          '?count=5&cursor=',
          '?count=0',
        ]
        const all = await Promise.all(queries.map((query) => scim('GET', `/Users${encodeURI(query)}`)))
        const titles = all.map(({ body }) => body.Resources.map((one: Body) => one.title))
        assert.deepEqual(titles, [[title], [title], [title], [title], [title], []])
        assert.deepEqual(
          all.map(({ body }) => body.totalResults),
          [1, 1, 1, 1, 1, 1],
        )
      }
    })

    it('continue with a cursor until every user was shown once', async (t) => {
      const { make, both } = await provider(t, engine)
      for (let i = 0; i < 7; i++) await make({ userName: `user${i}`, displayName: `${i}` })
      const seen: string[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { body, listed, read } = await both(`?count=3&cursor=${cursor}`)
        assert.deepEqual(listed, read)
        assert.equal(body.totalResults, 7)
        seen.push(...body.Resources.map((one: Body) => one.id))
        cursor = body.nextCursor
      }
      assert.deepEqual([seen.length, new Set(seen).size], [7, 7])
    })
  })
}
