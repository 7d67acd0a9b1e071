import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordsOf } from '../../../test/audit-records.ts'
import { type Answer, engines, type Started, start } from '../../../test/harness.ts'
import { createPerson, openBrowser } from '../../../test/people.ts'
import { connectTo } from '../../../test/scim/provider.ts'
import { sharedApp } from '../../../test/shared-app.ts'
import { assertWithin } from '../../../test/time-limit.ts'
import { system } from '../../core/actor.ts'
import { enterpriseUserUrn, userUrn } from '../../scim/protocol/urns.ts'
import type { Definition } from './definitions.ts'
import { changedValues } from './values.ts'

type Body = Record<string, unknown>

async function define(app: Started, name: string, body: Body = {}): Promise<Answer> {
  const response = await app.call('POST', '/attributes', { body: { name, type: 'string', ...body } })
  assert.equal(response.status, 201, response.text)
  return response
}

const create = (app: Started, username: string, attributes?: Body) =>
  app.call('POST', '/users', { body: { username, ...(attributes && { attributes }) } })
const update = (app: Started, user_id: string, attributes: Body) =>
  app.call('PATCH', `/users/${user_id}`, { body: { attributes } })
const faults = ({ body }: Answer) => body.errors.map(({ pointer, code }: Body) => `${pointer} ${code}`)

async function makeUser(app: Started, username: string, attributes?: Body): Promise<string> {
  const response = await create(app, username, attributes)
  assert.equal(response.status, 201, response.text)
  return response.body.user_id
}

for (const engine of engines) {
  describe(`attributes on ${engine.name}`, () => {
    const shared = sharedApp(engine)

    it('are set for many users at once, and their former values are returned', async (t) => {
      // A user that a company manages cannot be deleted after the test.
      const app = await start(t, engine, { env: { ROLLBOOK_RATE_LIMIT: '0' } })
      await define(app, 'department')
      await define(app, 'seats', { type: 'number', maximum: 9 })
      await define(app, 'badge', { unique: true })
      await define(app, 'imported', { editable_by: 'nobody' })
      await define(app, 'needed', { editable_by: 'user' })
      const company = await connectTo(app)
      const schemas = [userUrn, enterpriseUserUrn]
      const managed = await company.createUser({
        schemas,
        userName: 'managed',
        [enterpriseUserUrn]: { department: 'Legal' },
      })
      const ada = await makeUser(app, 'ada', { department: 'Sales', badge: 'b1' })
      const bob = await makeUser(app, 'bob', { department: 'R&D', seats: 3 })
      const carol = await makeUser(app, 'carol')
      const ids = [ada, bob, carol]
      const bulk = async (body: Body, query = '') => {
        const response = await app.call('POST', `/users/bulk${query}`, { body })
        const lines = response.text.trim().split('\n')
        return { ...response, rows: lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'row') }
      }
      const values = async () =>
        (await Promise.all(ids.map((id) => app.call('GET', `/users/${id}`)))).map(({ body }) => body.attributes)
      const before = await values()

      const body = {
        action: 'set_attribute',
        attributes: { department: 'R&D', badge: null },
        user_ids: [...ids, managed.id],
      }
      const planned = await bulk(body, '?dry_run=true')
      assert.deepEqual(
        planned.rows.map(({ username, verdict, code, before }) => [username, verdict, code ?? before]),
        [
          ['ada', 'changed', { attributes: { department: 'Sales', badge: 'b1' } }],
          ['bob', 'unchanged', undefined],
          ['carol', 'changed', { attributes: { department: null, badge: null } }],
          ['managed', 'refused', 'managed_elsewhere'],
        ],
      )
      assert.deepEqual(await values(), before)
      const done = await bulk(body)
      assert.deepEqual(done.rows, planned.rows)
      assert.deepEqual(await values(), [{ department: 'R&D' }, { department: 'R&D', seats: 3 }, { department: 'R&D' }])
      assert.deepEqual((await app.call('GET', '/users?attributes.badge=b1')).body, [])
      const found = await app.call('GET', '/users?attributes.department=R%26D')
      assert.equal(found.body.length, 3)
      for (const { user_id, before } of done.rows.filter(({ verdict }) => verdict === 'changed'))
        assert.equal(
          (await bulk({ action: 'set_attribute', user_ids: [user_id], ...before })).rows[0].verdict,
          'changed',
        )
      assert.deepEqual(await values(), before)
      assert.equal((await bulk(body, '?override=true')).rows[3].verdict, 'changed')
      const one = { action: 'set_attribute', attributes: { badge: 'b1' } }
      assert.equal((await bulk({ ...one, user_ids: [bob, bob] })).rows[0].verdict, 'changed')
      for (const query of ['?dry_run=true', ''])
        assert.equal((await bulk({ ...one, user_ids: [ada] }, query)).rows[0].code, 'attribute_taken')

      const refused: [Body, string[]][] = [
        [{ action: 'set_attribute' }, ['#/attributes missing_member']],
        [{ action: 'activate', attributes: { seats: 1 } }, ['#/attributes invalid']],
        [{ action: 'set_locale' }, ['#/locale missing_member']],
        [{ action: 'set_role', role: 'user', locale: 'de' }, ['#/locale invalid']],
        [
          {
            action: 'set_attribute',
            attributes: { badge: 'b2', seats: 10, imported: 'x', nothing: 1, department: '' },
          },
          [
            '#/attributes/seats attribute_invalid',
            '#/attributes/imported not_editable',
            '#/attributes/nothing unknown_attribute',
            '#/attributes/department attribute_invalid',
          ],
        ],
        [{ action: 'set_attribute', attributes: { badge: 'b2' } }, ['#/attributes/badge attribute_unique']],
      ]
      for (const [change, expected] of refused) {
        const response = await app.call('POST', '/users/bulk', { body: { ...change, user_ids: ids } })
        assert.deepEqual([response.status, faults(response)], [422, expected])
      }
      for (const attributes of [{}, null, 'x'])
        assert.equal((await bulk({ action: 'set_attribute', attributes, user_ids: ids })).status, 422)

      const locale = await bulk({ action: 'set_locale', locale: 'de', user_ids: [ada] })
      assert.deepEqual([locale.rows[0].verdict, locale.rows[0].before], ['changed', { locale: null }])
      assert.equal((await app.call('GET', `/users/${ada}`)).body.locale, 'de')
      assert.equal((await bulk({ action: 'set_locale', locale: null, user_ids: [ada] })).rows[0].before.locale, 'de')
      assert.equal((await app.call('GET', `/users/${ada}`)).body.locale, undefined)
      assert.equal((await bulk({ action: 'set_locale', locale: 'Klingon', user_ids: [ada] })).status, 422)
    })

    it('with a pattern are matched once for all users of a bulk change', async () => {
      const attribute = { name: 'code', label: 'Code', type: 'string', editable_by: 'admin', max_length: null } as const
      let matched = 0
      const compiled = { matches: () => ++matched > 0, size: 1, longest: 9 }
      const definitions = new Map([['code', { ...attribute, compiled } as unknown as Definition]])
      const input = { by: 'admin', values: { code: 'A1' }, faults: new Map<string, string | undefined>() } as const
      for (let n = 0; n < 3; n++) assert.deepEqual(changedValues(definitions, { found: {}, input }), { code: 'A1' })
      assert.equal(matched, 1)
    })

    it('are refused for each user if a definition changes while many are changed', async () => {
      const app = await shared()
      await define(app, 'department')
      const user_ids = [await makeUser(app, 'ada'), await makeUser(app, 'bob')]
      const batch = {
        action: { action: 'set_attribute', values: { department: 'Sales' }, isForOne: false },
        user_ids,
      } as const
      const change = async () => {
        const request = { actor: system, now: Date.now(), requestId: 'test' }
        const { result } = await app.storage.change('users.change_many', batch, request)
        return result.verdicts.map((one) => ('detail' in one ? [one.code, one.detail] : one.verdict))
      }
      await app.call('PATCH', '/attributes/department', { body: { unique: true } })
      const unique = 'department is unique, so many users cannot get the same value. Set it for each user.'
      assert.deepEqual(await change(), [
        ['validation_failed', unique],
        ['validation_failed', unique],
      ])
      await app.call('DELETE', '/attributes/department')
      assert.deepEqual((await change()).flat().filter((text) => text === 'validation_failed').length, 2)
      assert.deepEqual((await app.call('GET', `/users/${user_ids[0]}`)).body.attributes, {})
    })

    it('are defined, read, changed and deleted', async () => {
      const app = await shared()
      const created = await define(app, 'department', { label: 'Department', max_length: 80 })
      assert.equal(created.headers.location?.endsWith('/attributes/department'), true)
      const { created_at, updated_at, ...attribute } = created.body
      assert.deepEqual(attribute, {
        name: 'department',
        label: 'Department',
        type: 'string',
        options: null,
        required: false,
        unique: false,
        searchable: false,
        pattern: null,
        minimum: null,
        maximum: null,
        max_length: 80,
        editable_by: 'admin',
        in_token: false,
        in_header: false,
      })
      const read = await app.call('GET', '/attributes/department')
      assert.deepEqual([read.body, read.headers.etag], [created.body, created.headers.etag])
      const headers = { 'if-none-match': read.headers.etag ?? '' }
      assert.equal((await app.call('GET', '/attributes/department', { headers })).status, 304)
      await define(app, 'age', { type: 'number' })
      const listed = await app.call('GET', '/attributes')
      assert.deepEqual(
        listed.body.map(({ name }: Body) => name),
        ['age', 'department'],
      )

      const patch = { max_length: null, editable_by: 'user' }
      const stale = await app.call('PATCH', '/attributes/department', { body: patch, headers: { 'if-match': '"9"' } })
      assert.equal(stale.body.code, 'precondition_failed')
      const dry = await app.call('PATCH', '/attributes/department?dry_run=true', { body: patch })
      assert.deepEqual([dry.body.editable_by, dry.headers.etag], ['user', undefined])
      const changed = await app.call('PATCH', '/attributes/department', { body: patch })
      assert.deepEqual([changed.body.max_length, changed.body.editable_by], [null, 'user'])
      assert.notEqual(changed.headers.etag, read.headers.etag)
      const same = await app.call('PATCH', '/attributes/department', { body: patch })
      assert.equal(same.headers.etag, changed.headers.etag)

      const deleted = { name: 'department', values_removed: 0 }
      assert.deepEqual((await app.call('DELETE', '/attributes/department?dry_run=true')).body, {
        ...deleted,
        deleted: false,
      })
      assert.deepEqual((await app.call('DELETE', '/attributes/department')).body, { ...deleted, deleted: true })
      for (const [method, path] of [
        ['GET', '/attributes/department'],
        ['PATCH', '/attributes/department'],
        ['DELETE', '/attributes/department'],
        ['GET', '/attributes/%00'],
      ] as const) {
        const response = await app.call(method, path, method === 'PATCH' ? { body: {} } : {})
        assert.deepEqual([response.status, response.body.code], [404, 'attribute_not_found'], path)
      }
    })

    it('refuse names, settings and combinations that mean nothing', async () => {
      const app = await shared()
      const cases: [Body, pointer: string][] = [
        [{ name: 'Department' }, '#/name'],
        [{ name: '1st' }, '#/name'],
        [{ name: 'a'.repeat(65) }, '#/name'],
        [{ name: '__proto__x' }, '#/name'],
        [{ type: 'integer' }, '#/type'],
        [{ type: 'enum' }, '#/options'],
        [{ options: ['a'] }, '#/options'],
        [{ type: 'enum', options: ['a', 'a'] }, '#/options'],
        [{ type: 'enum', options: ['a\n'] }, '#/options/0'],
        [{ pattern: '(' }, '#/pattern'],
        [{ pattern: '(?=a)' }, '#/pattern'],
        [{ type: 'date', pattern: 'a' }, '#/pattern'],
        [{ minimum: 1 }, '#/minimum'],
        [{ type: 'number', minimum: 2, maximum: 1 }, '#/minimum'],
        [{ type: 'boolean', max_length: 2 }, '#/max_length'],
        [{ required: true, editable_by: 'nobody' }, '#/required'],
        [{ label: 'a\u0000' }, '#/label'],
      ]
      for (const [body, pointer] of cases) {
        const response = await app.call('POST', '/attributes', { body: { name: 'some', type: 'string', ...body } })
        assert.deepEqual([response.status, response.body.errors?.[0]?.pointer], [422, pointer], JSON.stringify(body))
      }
      await define(app, 'some')
      const twice = await app.call('POST', '/attributes', { body: { name: 'some', type: 'number' } })
      assert.equal(twice.body.code, 'attribute_name_taken')
    })

    it('are at most 64', async () => {
      const app = await shared()
      for (let n = 1; n <= 64; n++) await define(app, `a${n}`)
      const response = await app.call('POST', '/attributes', { body: { name: 'a65', type: 'string' } })
      assert.deepEqual([response.status, response.body.code], [409, 'too_many_attributes'])
    })

    it('have values of every type, which an update merges and null removes', async () => {
      const app = await shared()
      const values: [name: string, definition: Body, value: unknown, wrong: unknown[]][] = [
        ['text', { pattern: '^[A-Z]', max_length: 5 }, 'Sales', ['sales', 'Salesforce', '', 'A\n', 5, ['A']]],
        ['amount', { type: 'number', minimum: 0, maximum: 10 }, 2.5, [-1, 11, '2', true]],
        ['flag', { type: 'boolean' }, false, ['false', 0]],
        ['day', { type: 'date' }, '2024-02-29', ['2023-02-29', '2024-2-9', '2024-02-29T00:00:00Z']],
        ['moment', { type: 'datetime' }, '2024-02-29T10:00:00.000Z', ['2024-02-29', 'now']],
        ['home', { type: 'url' }, 'https://example.com/a?b', ['example.com', 'javascript:alert(1)', 'ftp://a.example']],
        ['other_email', { type: 'email' }, 'ada@example.com', ['ada', 'a b@example.com']],
        ['size', { type: 'enum', options: ['S', 'M'] }, 'M', ['L', 'm']],
        ['tags', { type: 'string[]', max_length: 3 }, ['a', 'b'], ['a', ['a', 'a'], ['long'], [1]]],
      ]
      for (const [name, definition] of values) await define(app, name, definition)
      const all = Object.fromEntries(values.map(([name, , value]) => [name, value]))
      const created = await create(app, 'ada', all)
      assert.equal(created.status, 201, created.text)
      assert.deepEqual(created.body.attributes, all)
      const { user_id } = created.body
      for (const [name, , , wrong] of values) {
        for (const value of wrong) {
          const response = await update(app, user_id, { [name]: value })
          assert.equal(response.status, 422, `${name} ${JSON.stringify(value)}`)
          assert.equal(response.body.errors[0].pointer.startsWith(`#/attributes/${name}`), true, response.text)
          if (typeof value === 'string' && value.length > 5) assert.ok(!response.body.detail.includes(value))
        }
      }
      const merged = await update(app, user_id, { text: null, amount: 3, moment: '2024-02-29T12:00:00+01:00' })
      const { text: _, ...others } = all
      const expected = { ...others, amount: 3, moment: '2024-02-29T11:00:00.000Z' }
      assert.deepEqual(merged.body.attributes, expected)
      assert.notEqual(merged.headers.etag, created.headers.etag)
      const read = await app.call('GET', `/users/${user_id}`)
      assert.deepEqual(read.body, merged.body)
      const listed = await app.call('GET', '/users?limit=10')
      assert.deepEqual(listed.body.find((user: Body) => user.user_id === user_id).attributes, expected)
      const same = await update(app, user_id, { amount: 3, text: null })
      assert.equal(same.headers.etag, merged.headers.etag)
    })

    it('refuse what is not defined, and more than 16 KiB', async () => {
      const app = await shared()
      assert.deepEqual((await app.call('POST', '/users', { body: { username: 'bob' } })).body.attributes, {})
      assert.deepEqual(faults(await create(app, 'ada', { department: 'Sales' })), [
        '#/attributes/department unknown_attribute',
      ])
      await define(app, 'department')
      await define(app, 'notes', { type: 'string[]' })
      const wrong = await create(app, 'ada', { departement: 'Sales', constructor: 'x' })
      assert.deepEqual(faults(wrong), [
        '#/attributes/departement unknown_attribute',
        '#/attributes/constructor unknown_attribute',
      ])
      assert.match(wrong.body.errors[0].detail, /department/)
      for (const attributes of [5, [], 'a', { department: {} }, { department: [['a']] }]) {
        const response = await app.call('POST', '/users', { body: { username: 'ada', attributes } })
        assert.equal(response.status, 422, JSON.stringify(attributes))
      }
      const user_id = await makeUser(app, 'ada', { department: 'a'.repeat(9000) })
      const tooMuch = await update(app, user_id, { notes: ['b'.repeat(9000)] })
      assert.deepEqual(faults(tooMuch), ['#/attributes too_long'])
      assert.equal((await update(app, user_id, { notes: ['b'.repeat(6000)] })).status, 200)
    })

    it('are written by those whom the definition names', async () => {
      const app = await shared()
      await define(app, 'department')
      await define(app, 'nickname', { editable_by: 'user' })
      await define(app, 'cost_center', { editable_by: 'nobody' })
      assert.deepEqual(faults(await create(app, 'bob', { department: 'A', cost_center: 'C' })), [
        '#/attributes/cost_center not_editable',
      ])
      const { user_id, username } = await createPerson(app)
      assert.equal((await update(app, user_id, { department: 'Sales', nickname: 'Al' })).status, 200)
      assert.deepEqual(faults(await update(app, user_id, { cost_center: 'C' })), [
        '#/attributes/cost_center not_editable',
      ])
      const browser = await openBrowser(app, username)
      const own = await browser.call('PATCH', '/me', { body: { attributes: { nickname: 'Ali' } } })
      assert.equal(own.status, 200, own.text)
      assert.deepEqual(own.body.attributes, { department: 'Sales', nickname: 'Ali' })
      assert.deepEqual((await browser.call('GET', '/me')).body.attributes, own.body.attributes)
      // A form may send back everything it shows.
      const attributes = { department: 'Sales', nickname: null }
      assert.equal((await browser.call('PATCH', '/me', { body: { attributes } })).status, 200)
      const raised = await browser.call('PATCH', '/me', { body: { attributes: { department: 'Board' } } })
      assert.deepEqual(faults(raised), ['#/attributes/department not_editable'])
      const removed = await browser.call('PATCH', '/me', { body: { attributes: { department: null } } })
      assert.deepEqual(faults(removed), ['#/attributes/department not_editable'])
      assert.deepEqual((await app.call('GET', `/users/${user_id}`)).body.attributes, { department: 'Sales' })
    })

    it('are required of new users once all others have a value', async () => {
      const app = await shared()
      const user_id = await makeUser(app, 'ada')
      await makeUser(app, 'bob')
      const early = await app.call('POST', '/attributes', { body: { name: 'badge', type: 'string', required: true } })
      assert.deepEqual([early.status, early.body.code], [409, 'attribute_violated'])
      assert.match(early.body.detail, /^2 users /)
      await define(app, 'badge')
      await update(app, user_id, { badge: '1' })
      const tooEarly = await app.call('PATCH', '/attributes/badge', { body: { required: true } })
      assert.match(tooEarly.body.detail, /^1 user /)
      await app.call('DELETE', `/users/${(await app.call('GET', '/users?username=bob')).body[0].user_id}`)
      assert.equal((await app.call('PATCH', '/attributes/badge', { body: { required: true } })).status, 200)
      assert.deepEqual(faults(await create(app, 'carol')), ['#/attributes/badge missing_member'])
      assert.deepEqual(faults(await update(app, user_id, { badge: null })), ['#/attributes/badge missing_member'])
      assert.equal((await app.call('PATCH', `/users/${user_id}`, { body: { first_name: 'Ada' } })).status, 200)
      await makeUser(app, 'carol', { badge: '2' })

      // A deleted user without a value does not come back without one.
      const [bob] = (await app.call('GET', '/deleted-users?username=bob')).body
      const back = await app.call('POST', `/users/${bob.user_id}/restore`)
      assert.deepEqual([back.status, faults(back)], [422, ['#/attributes/badge missing_member']], back.text)
      const many = { action: 'restore', user_ids: [bob.user_id] }
      const bulk = await app.call('POST', '/users/bulk', { body: many })
      assert.match(bulk.text, /validation_failed/)
      assert.equal((await app.call('PATCH', '/attributes/badge', { body: { max_length: 5 } })).status, 200)
      assert.equal((await app.call('PATCH', '/attributes/badge', { body: { required: false } })).status, 200)
      assert.equal((await app.call('POST', `/users/${bob.user_id}/restore`)).status, 200)
    })

    it('that are required and missing, from an earlier release, keep no other member from changing', async () => {
      const app = await shared()
      await define(app, 'badge', { required: true })
      await makeUser(app, 'ada', { badge: '1' })
      await app.runSql(`UPDATE users SET attributes = '{}'`)
      assert.equal((await app.call('PATCH', '/attributes/badge', { body: { max_length: 5 } })).status, 200)
    })

    it('refuse a change of a definition that users violate, and say how many', async () => {
      const app = await shared()
      await define(app, 'level', { searchable: true })
      for (const [n, level] of ['1', '2', '30', 'x'].entries()) await makeUser(app, `user${n}`, { level })
      await makeUser(app, 'without')
      const change = (body: Body) => app.call('PATCH', '/attributes/level', { body })
      const cases: [Body, count: number][] = [
        [{ pattern: '^[0-9]$' }, 2],
        [{ max_length: 1 }, 1],
        [{ type: 'number' }, 4],
        [{ type: 'enum', options: ['1', '2', '30'] }, 1],
        [{ required: true }, 1],
      ]
      for (const [body, count] of cases) {
        const response = await change(body)
        assert.deepEqual([response.status, response.body.code], [409, 'attribute_violated'], JSON.stringify(body))
        assert.equal(response.body.detail.startsWith(`${count} user`), true, response.body.detail)
      }
      assert.equal((await change({ pattern: '^[0-9x]+$' })).status, 200)
      assert.equal((await app.call('GET', '/attributes/level')).body.type, 'string')
    })

    it('keep unique values apart, also when changes run at once', async () => {
      const app = await shared()
      await define(app, 'badge', { unique: true })
      await define(app, 'mail', { type: 'email', unique: true })
      const [ada, bob] = [
        await makeUser(app, 'ada', { badge: '7', mail: 'Ada@example.com' }),
        await makeUser(app, 'bob'),
      ]
      for (const attributes of [{ badge: '7' }, { mail: 'ada@EXAMPLE.com' }]) {
        const response = await update(app, bob, attributes)
        assert.deepEqual([response.status, response.body.code], [409, 'attribute_taken'])
        assert.deepEqual(faults(response), [`#/attributes/${Object.keys(attributes)[0]} attribute_taken`])
      }
      assert.equal((await create(app, 'carol', { badge: '7' })).body.code, 'attribute_taken')
      assert.equal((await app.call('GET', '/users?username=carol')).body.length, 0)
      assert.equal((await update(app, ada, { badge: '8' })).status, 200)
      assert.equal((await update(app, bob, { badge: '7' })).status, 200)
      const raced = await Promise.all([1, 2, 3, 4, 5].map((n) => create(app, `racer${n}`, { badge: '9' })))
      assert.deepEqual(raced.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
      assert.equal((await app.call('DELETE', `/users/${ada}`)).status, 200)
      assert.equal((await update(app, bob, { badge: '8' })).status, 200)
      // The value has another owner now.
      const restored = await app.call('POST', `/users/${ada}/restore`)
      assert.deepEqual([restored.status, restored.body.code], [409, 'attribute_taken'])
    })

    it('become unique only when no users share a value', async () => {
      const app = await shared()
      await define(app, 'badge')
      for (const [n, badge] of ['1', '1', '1', '2', '2', '3'].entries()) await makeUser(app, `user${n}`, { badge })
      const refused = await app.call('PATCH', '/attributes/badge', { body: { unique: true } })
      assert.match(refused.body.detail, /^5 users /)
      for (const { user_id } of (await app.call('GET', '/users')).body) await update(app, user_id, { badge: user_id })
      assert.equal((await app.call('PATCH', '/attributes/badge', { body: { unique: true } })).status, 200)
      const [first, second] = (await app.call('GET', '/users')).body
      assert.equal((await update(app, second.user_id, { badge: first.user_id })).body.code, 'attribute_taken')
      assert.equal((await app.call('PATCH', '/attributes/badge', { body: { unique: false } })).status, 200)
      assert.equal((await update(app, second.user_id, { badge: first.user_id })).status, 200)
    })

    it('lose their values with the definition, also those of users who come back', async () => {
      const app = await shared()
      await define(app, 'badge', { unique: true })
      await define(app, 'kept')
      const [ada, bob] = [
        await makeUser(app, 'ada', { badge: '1', kept: 'k' }),
        await makeUser(app, 'bob', { badge: '2' }),
      ]
      await makeUser(app, 'carol', { kept: 'k' })
      await app.call('DELETE', `/users/${bob}`)
      const before = await app.call('GET', `/users/${ada}`)
      assert.equal((await app.call('DELETE', '/attributes/badge?dry_run=true')).body.values_removed, 1)
      assert.deepEqual((await app.call('GET', `/users/${ada}`)).body, before.body)
      assert.deepEqual((await app.call('DELETE', '/attributes/badge')).body.values_removed, 1)
      const after = await app.call('GET', `/users/${ada}`)
      assert.deepEqual(after.body, { ...before.body, attributes: { kept: 'k' }, updated_at: after.body.updated_at })
      assert.notEqual(after.headers.etag, before.headers.etag)
      assert.deepEqual((await app.call('POST', `/users/${bob}/restore`)).body.attributes, {})
      await define(app, 'badge', { unique: true })
      await makeUser(app, 'dora', { badge: '1' })
    })

    it('are in the audit, in events and in the history of their definitions', async (t) => {
      const app = await start(t, engine)
      await define(app, 'department')
      const user_id = await makeUser(app, 'ada', { department: 'Sales' })
      await update(app, user_id, { department: 'Board' })
      await update(app, user_id, { department: null })
      await app.call('DELETE', '/attributes/department')
      const records = await recordsOf(app)
      const changes = records
        .filter(({ target }) => target?.id === user_id)
        .map((record) => record.changes['attributes.department'])
      assert.deepEqual(changes, [
        { before: null, after: 'Sales' },
        { before: 'Sales', after: 'Board' },
        { before: 'Board', after: null },
      ])
      const { body } = await app.call('GET', '/events')
      const reported = body.events
        .slice(1)
        .map(({ type, data }: { type: string; data: Body }) => [type, data.attributes])
      assert.deepEqual(reported, [
        ['attribute.created', undefined],
        ['user.created', { department: 'Sales' }],
        ['user.updated', { department: 'Board' }],
        ['user.updated', {}],
        ['attribute.deleted', undefined],
      ])
      const last = body.events.at(-1)
      assert.match(last.dataschema, /AttributeEventV1$/)
      assert.deepEqual(last.data, { name: 'department', values_removed: 0 })
    })

    it('are in access tokens of users if the definition says so, with the value of that moment', async () => {
      const app = await shared()
      await define(app, 'department', { in_token: true })
      await define(app, 'secret_level')
      const { user_id, username } = await createPerson(app)
      const browser = await openBrowser(app, username)
      const claims = async () => {
        const response = await browser.call('POST', '/token', { body: {} })
        assert.equal(response.status, 200, response.text)
        return JSON.parse(Buffer.from(response.body.access_token.split('.')[1], 'base64url').toString())
      }
      assert.equal((await claims()).attributes, undefined)
      await update(app, user_id, { department: 'Sales', secret_level: '7' })
      assert.deepEqual((await claims()).attributes, { department: 'Sales' })
      await app.call('PATCH', '/attributes/department', { body: { in_token: false } })
      assert.equal((await claims()).attributes, undefined)

      // As many as a token has room for, which then still works.
      const names = ['bio1', 'bio2', 'bio3', 'bio4']
      for (const name of names) await define(app, name, { in_token: true })
      await update(app, user_id, { bio1: 'é'.repeat(1000), bio2: 'x'.repeat(4000), bio3: 'y'.repeat(1000), bio4: 'z' })
      const { attributes, attributes_incomplete } = await claims()
      assert.deepEqual([Object.keys(attributes), attributes_incomplete], [['bio1', 'bio3', 'bio4'], true])
      const { body } = await browser.call('POST', '/token', { body: {} })
      assert.ok(body.access_token.length <= 8192)
      const headers = { authorization: `Bearer ${body.access_token}` }
      assert.equal((await app.call('GET', '/me', { key: null, headers })).status, 200)
    })

    it('are in the OpenAPI document as they are defined now, with an entity tag of its own', async () => {
      const app = await shared()
      const before = await app.call('GET', '/openapi.json')
      await define(app, 'size', { type: 'enum', options: ['S', 'M'], label: 'Size' })
      const headers = { 'if-none-match': before.headers.etag ?? '' }
      const after = await app.call('GET', '/openapi.json', { headers })
      assert.equal(after.status, 200)
      const { User, UpdateUser } = after.body.components.schemas
      assert.deepEqual(User.properties.attributes.properties, {
        size: { title: 'Size', type: 'string', enum: ['S', 'M'] },
      })
      assert.deepEqual(UpdateUser.properties.attributes.properties.size.enum, ['S', 'M', null])
      const names = after.body.paths['/users'].get.parameters.map(({ name }: Body) => name)
      assert.ok(names.includes('attributes.size'))
      const exported = after.body.paths['/users/export'].post.parameters.map(({ name }: Body) => name)
      assert.ok(exported.includes('attributes.size'))
      const again = await app.call('GET', '/openapi.json', { headers: { 'if-none-match': after.headers.etag ?? '' } })
      assert.equal(again.status, 304)
      await app.call('DELETE', '/attributes/size')
      const back = await app.call('GET', '/openapi.json')
      assert.deepEqual([back.headers.etag, back.body], [before.headers.etag, before.body])
    })

    it('filter bulk changes and exports as they filter the list', async () => {
      const app = await shared()
      await define(app, 'department', { searchable: true })
      await define(app, 'level', { type: 'number' })
      await define(app, 'remote', { type: 'boolean' })
      const values = [
        { department: 'Sales', level: 1, remote: true },
        { department: 'Sales', level: 2, remote: false },
        { department: 'Support', level: 2 },
      ]
      for (const [n, attributes] of values.entries()) await makeUser(app, `user${n}`, attributes)
      await makeUser(app, 'none')
      for (const [filter, expected] of [
        [{ 'attributes.department': 'Sales' }, ['user0', 'user1']],
        [{ 'attributes.department': 'Sales', 'attributes.level': 2 }, ['user1']],
        [{ 'attributes.level': '2', active: true }, ['user1', 'user2']],
        [{ 'attributes.remote': false }, ['user1']],
        [{ 'attributes.department': 'Legal' }, []],
      ] as const) {
        const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))
        const listed = await app.call('GET', `/users?${query}`)
        assert.deepEqual(
          listed.body.map(({ username }: Body) => username),
          expected,
        )
        const bulk = await app.call('POST', '/users/bulk?dry_run=true', { body: { action: 'deactivate', filter } })
        const rows = bulk.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Body)
        const changed = rows.filter(({ type }) => type === 'row').map(({ username }) => username)
        assert.deepEqual([rows[0]?.total, changed], [expected.length, expected], bulk.text)
        const body = { passphrase: 'the sky above the port' }
        const exported = await app.call('POST', `/users/export?dry_run=true&${query}`, { body })
        assert.deepEqual(exported.body, { users: expected.length }, exported.text)
      }
      const done = await app.call('POST', '/users/bulk', {
        body: { action: 'deactivate', filter: { 'attributes.department': 'Sales' } },
      })
      assert.match(done.text, /"type":"end","changed":2,/)
      assert.equal((await app.call('GET', '/users?active=true')).body.length, 2)

      const unknown = { action: 'deactivate', filter: { 'attributes.nothing': 'x', 'attributes.level': 'high' } }
      const refused = await app.call('POST', '/users/bulk', { body: unknown })
      assert.equal(refused.status, 422)
      assert.deepEqual(faults(refused), [
        '#/filter/attributes.nothing unknown_attribute',
        '#/filter/attributes.level wrong_type',
      ])
      const list = { action: 'deactivate', filter: { 'attributes.level': [1] } }
      assert.equal((await app.call('POST', '/users/bulk', { body: list })).status, 422)
      const body = { passphrase: 'the sky above the port' }
      const unsought = await app.call('POST', '/users/export?attributes.nothing=x', { body })
      assert.deepEqual([unsought.status, faults(unsought)], [422, ['?attributes.nothing unknown_attribute']])
    })

    it('take no longer for a text that a pattern would try in many ways', async () => {
      const app = await shared()
      await define(app, 'slow', { pattern: '^(a+)+$' })
      const started = performance.now()
      assert.equal((await create(app, 'ada', { slow: `${'a'.repeat(8000)}!` })).status, 422)
      assertWithin(2000, started)
    })

    it('refuse patterns that would keep other changes waiting, and texts that are too long for theirs', async () => {
      const app = await shared()
      await define(app, 'code')
      const large = [
        '^(((a{1,10}){1,10}){1,9})$',
        '(a?){1,600}b',
        '((a{0,30}){0,30})b',
        '(?:a|b|ab){1,500}c',
        `(${'.?'.repeat(200)}){9}`,
      ]
      for (const pattern of large) {
        const began = performance.now()
        for (const [method, path] of [
          ['POST', '/attributes'],
          ['PATCH', '/attributes/code'],
        ] as const) {
          const named = method === 'POST' ? { name: 'other', type: 'string' } : {}
          const response = await app.call(method, path, { body: { ...named, pattern } })
          assert.deepEqual([response.status, faults(response)], [422, ['#/pattern too_complex']], pattern)
        }
        assertWithin(1000, began)
      }
      // Each of these is allowed; together they would take a second.
      const names = Array.from({ length: 8 }, (_, n) => `slow${n}`)
      for (const name of names) await define(app, name, { pattern: '(.{0,15}){0,15}$b' })
      const user = await makeUser(app, 'ada')
      const long = await update(app, user, { slow0: 'ab'.repeat(150) })
      assert.match(long.body.errors[0].detail, /^Must have at most 262 characters/)
      const began = performance.now()
      const many = await update(app, user, Object.fromEntries(names.map((name) => [name, 'ab'.repeat(130)])))
      assert.deepEqual([many.status, faults(many)], [422, ['#/attributes/slow2 too_long']])
      assertWithin(1000, began)
    })

    it('tell nothing about values to callers who may not read users', async () => {
      const app = await shared()
      await define(app, 'salary', { type: 'number' })
      await define(app, 'level')
      await define(app, 'size', { type: 'enum', options: ['S', 'M'] })
      await makeUser(app, 'ada', { salary: 5200, level: 'a', size: 'M' })
      const creation = await app.call('POST', '/keys', { body: { name: 'schema', permissions: ['attributes:write'] } })
      const { key } = creation.body
      const judged: [string, Body][] = [
        ['salary', { minimum: 5000 }],
        ['salary', { maximum: 6000 }],
        ['salary', { type: 'string' }],
        ['salary', { unique: true }],
        ['salary', { required: true }],
        ['level', { pattern: '^a' }],
        ['level', { max_length: 1 }],
        ['size', { options: ['M'] }],
      ]
      for (const query of ['?dry_run=true', '']) {
        for (const [name, body] of judged) {
          const { status, body: problem } = await app.call('PATCH', `/attributes/${name}${query}`, { key, body })
          assert.deepEqual([status, problem.code], [403, 'permission_denied'], `${name} ${JSON.stringify(body)}`)
        }
        const needed = await app.call('POST', `/attributes${query}`, {
          key,
          body: { name: 'n', type: 'string', required: true },
        })
        assert.equal(needed.status, 403)
        assert.equal((await app.call('DELETE', `/attributes/level${query}`, { key })).status, 403)
      }
      for (const body of [
        { label: 'Pay' },
        { editable_by: 'nobody' },
        { searchable: true },
        { in_token: true },
        { minimum: null },
      ]) {
        assert.equal((await app.call('PATCH', '/attributes/salary', { key, body })).status, 200, JSON.stringify(body))
      }
    })

    it('fit when they are defined while users are created', async () => {
      const app = await shared()
      const creations = Array.from({ length: 20 }, (_, n) => create(app, `user${n}`))
      const definition = app.call('POST', '/attributes', { body: { name: 'badge', type: 'string', required: true } })
      const [{ status }, ...created] = await Promise.all([definition, ...creations])
      const users = created.filter((response) => response.status === 201).length
      const without = (await app.call('GET', '/users')).body.filter(
        ({ attributes }: Body) => !(attributes as Body).badge,
      )
      assert.equal(without.length, users)
      if (status === 201) assert.equal(users, 0)
      else assert.equal(status, 409)
    })
  })
}
