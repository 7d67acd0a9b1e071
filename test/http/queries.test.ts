/** Absurd queries, searches and cursors. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { listUsersSchema } from '../../src/directory/users/schema.ts'
import { cases } from '../cases.ts'
import { createUser, engines, start } from '../harness.ts'
import { connectTo } from '../scim/provider.ts'
import { searchTexts, sqlTexts } from './hostile-texts.ts'
import { assertAnswers, type Row, request, utf8, write } from './raw-client.ts'

const id = '019a9f3e-0000-7000-8000-000000000000'
/** JavaScript takes each of them for a number. */
const notInDigits = ['1e2', '+5', '%2B5', '%205', '5%20', '%0a5', '0x10', '0b11', '5.0', '5.', '-0']
const manyIds = (n: number) => Array(n).fill(`user_id=${id}`).join('&')

for (const engine of engines) {
  describe(`queries on ${engine.name}`, () => {
    it('reads query parameters that are known, once each, and of their kind', async (t) => {
      const app = await start(t, engine)
      const bad = [
        ...[
          '',
          '0',
          '-1',
          '1001',
          'abc',
          '1.5',
          '1,5',
          '9'.repeat(400),
          'Infinity',
          'NaN',
          'null',
          '1 2',
          '0x',
          '1e9',
          '[1]',
          '１',
          ...notInDigits,
        ].map((n) => `limit=${n}`),
        'limit=1&limit=2',
        'limit[]=1',
        'limit[a]=1',
        'limit',
        ...[
          '',
          'password',
          'username,email',
          '--username',
          '+username',
          'user_id',
          'password_hash',
          'USERNAME',
          '1; DROP TABLE users',
          '__proto__',
          'constructor',
        ].map((name) => `sort=${name}`),
        'sort=username&sort=email',
        'q=',
        'q',
        `q=${'a'.repeat(257)}`,
        'q=abc&q=def',
        ...['', '1', '0', 'yes', 'TRUE', 'null', 'true&active=false'].map((value) => `active=${value}`),
        'count=maybe',
        ...['created_after', 'created_before', 'last_login_after', 'last_login_before', 'inactive_since'].flatMap(
          (name) =>
            [
              '',
              'yesterday',
              '0',
              '2026',
              '2026-02-30T00:00:00Z',
              '2026-13-01T00:00:00Z',
              '2026-01-01',
              '2026-01-01T00:00:00',
              '2026-01-01T24:00:00Z',
              '2026-01-01T00:00:60Z',
              '2026-01-01 00:00:00Z',
              '+012026-01-01T00:00:00Z',
              '2026-01-01T00:00:00+25:00',
              `2026-01-01T00:00:00Z&${name}=2026-01-01T00:00:00Z`,
            ].map((value) => `${name}=${encodeURI(value)}`),
        ),
        manyIds(501),
        `user_id=${'0'.repeat(65)}`,
        `username=${'a'.repeat(513)}`,
        'username=a&username=b',
        'role=a&role=b',
        'offset=1',
        ...['', '-1', '2147483648', '1.5', 'Infinity', '1e400', '1&offset=2', ...notInDigits].map(
          (n) => `limit=1&offset=${n}`,
        ),
        ...['', '1', 'estimated', 'ESTIMATE', 'estimate&count=true'].map((value) => `count=${value}`),
        'has_password=1',
        'invited=1',
        ...['', '1', 'never', 'false&has_signed_in=false'].map((value) => `has_signed_in=${value}`),
        'page=2',
        'Limit=1',
        'limit%00=1',
        '%6cimit%20=1',
        '__proto__=1',
        '__proto__[a]=1',
        'constructor=1',
        'constructor[prototype][a]=1',
        'toString=1',
        'API_KEY=x',
        'dry_run=true',
        '=1',
        '&&&a',
        '?limit=1',
        'limit=1;sort=username',
        `${'a&'.repeat(10_000)}`,
        ...sqlTexts.map((text) => `${encodeURIComponent(text)}=1`),
      ]
      const undecodable = ['q=%', 'q=%zz', 'q=%ff', 'q=%ED%A0%80', 'q=%C0%AF', '%ff=1', 'limit=1&q=a%', 'q=%u0041']
      const good = [
        '',
        'limit=1000',
        'active=true',
        'count=true',
        'count=estimate',
        'limit=1&count=estimate&q=%00',
        'limit=1&offset=2147483647&sort=-email&q=a%00b',
        'limit=1&offset=0&has_password=true',
        'limit=1&offset=0&invited=true',
        'limit=1&offset=1&has_signed_in=false&sort=-last_login_at',
        'created_after=2026-01-01T00:00:00.123456789%2B02:00',
        'created_after=2026-02-28t00:00:00z',
        'user_id=x',
        `user_id=${id}&user_id=${id}`,
        manyIds(500),
        '%6cimit=1',
        'q=+',
        'created_before=9999-12-31T23:59:59-23:59',
        'created_after=0000-01-01T00:00:00%2B23:59',
      ]
      await assertAnswers(app, [
        ...bad.map(
          (query): Row => [
            query.slice(0, 80),
            request(
              `GET /auth/users?${utf8(query).replaceAll(/[^!-~]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`)}`,
            ),
            422,
          ],
        ),
        ...undecodable.map((query): Row => [query, request(`GET /auth/users?${query}`), 400]),
        ...good.map((query): Row => [query, request(`GET /auth/users?${query}`), 200]),
        ...['maybe', '', '1', 'true&dry_run=true'].map(
          (value): Row => [`dry_run=${value}`, write('{"username":"a"}', [], `POST /auth/users?dry_run=${value}`), 422],
        ),
        ['an unknown parameter of a write', write('{"username":"a"}', [], 'POST /auth/users?limit=1'), 422],
      ])
    })

    it('searches for any text', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'ada', first_name: 'Ada', last_name: 'a*b "c" OR d' })
      const texts = [...searchTexts, ...sqlTexts]
      const parameters = ['q', 'username', 'email', 'external_id', 'role', 'user_id']
      await assertAnswers(app, [
        ...texts.flatMap((text): Row[] => {
          const q = `q=${encodeURIComponent(text)}`
          return ['', '&limit=5', '&limit=5&sort=-email&count=true', '&limit=5&sort=email&offset=1&count=estimate'].map(
            (more) => [`${q}${more}`, request(`GET /auth/users?${q}${more}`), 200],
          )
        }),
        ...texts.flatMap((text): Row[] =>
          parameters.slice(1).map((name) => [
            `${name} ${JSON.stringify(text)}`,
            request(`GET /auth/users?limit=5&${name}=${encodeURIComponent(text)}`),
            // Longer than an id or a role can be.
            text.length > 64 ? [200, 422] : 200,
          ]),
        ),
      ])
      assert.equal((await app.call('GET', '/users?q=%22c%22')).body.length, 1)
      assert.equal((await app.call('GET', '/users?q=a*b')).body.length, 1)
    })

    it('reads a plus as a plus, and as a blank only between the words of a form encoder', async (t) => {
      const app = await start(t, engine)
      const plus = await createUser(app, { username: 'a+b@x.example', email: 'a+b@x.example', external_id: 'c+d' })
      const ada = await createUser(app, { username: 'ada', first_name: 'Ada', last_name: 'King' })
      await createUser(app, { username: 'jo', first_name: 'Jo', last_name: 'King' })
      await createUser(app, { username: 'joking', first_name: 'Jo', last_name: 'King' })
      const { scim } = await connectTo(app)
      const found = async (path: string) => {
        const { status, body, text } = await app.call('GET', path)
        assert.equal(status, 200, `${path}: ${text}`)
        return body.map((one: Record<string, unknown>) => one.user_id)
      }
      const past = 'created_after=2020-01-01T00:00:00+02:00'
      for (const [query, user] of [
        ['email=a+b@x.example', plus],
        ['username=a+b@x.example', plus],
        ['external_id=c+d', plus],
        [`username=ada&${past}`, ada],
        ['q=a+b@x.example%20c', undefined],
        ['q=a%2Bb@x.example', plus],
        ['q=ada+king', ada],
        ['q=ada%20king', ada],
      ] as const) {
        assert.deepEqual(await found(`/users?${query}`), user === undefined ? [] : [user.user_id], query)
      }
      for (const filter of [
        'userName%20eq%20"a+b@x.example"',
        'emails.value%20eq%20%22a+b@x.example%22',
        'externalId+eq+"c%2Bd"',
        'userName+eq+%22a%2Bb@x.example%22',
      ]) {
        const { body } = await scim('GET', `/Users?filter=${filter}`)
        assert.deepEqual([body.totalResults, body.Resources?.[0]?.id], [1, plus.user_id], filter)
      }
      // The address of the next page says the same, and so does a list of deleted users.
      const pageOne = await app.call('GET', `/users?limit=1&q=jo%20king&${past}`)
      const next = new URL(/<([^>]+)>/.exec(pageOne.headers.link ?? '')?.[1] ?? '', 'http://127.0.0.1')
      assert.match(next.search, /q=jo%20king&created_after=2020-01-01T00%3A00%3A00%2B02%3A00&/)
      assert.equal((await found(next.href.slice(next.href.indexOf('/users')))).length, 1)
      await app.call('DELETE', `/users/${plus.user_id}`)
      assert.deepEqual(await found('/deleted-users?email=a+b@x.example'), [plus.user_id])
    })

    it('responds to every combination of parameters and values', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'ada' })
      const value = fc.oneof(
        fc.constantFrom('true', 'false', '1', '1000', 'Infinity', '-0', '1e400', 'username', '-email', 'admin', id),
        fc.constantFrom('2026-11-20T09:30:00Z', '0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59.999999999-23:59'),
        fc.constantFrom(...searchTexts, ...sqlTexts),
        fc.string({ unit: 'binary', maxLength: 20 }),
      )
      const names = Object.keys(listUsersSchema.properties)
      const parameter = fc.tuple(fc.constantFrom(...names, 'dry_run', 'API_KEY'), value)
      const accept = fc.constantFrom('*/*', 'application/x-ndjson', 'text/csv', 'application/json')
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(parameter, { selector: ([name]) => name, maxLength: 5 }),
          accept,
          async (all, accept) => {
            const { status, text } = await app.call('GET', `/users?${new URLSearchParams(all)}`, {
              headers: { accept },
            })
            assert.ok([200, 400, 422].includes(status), text)
          },
        ),
        { numRuns: cases(500) },
      )
    })

    it('accepts only its own cursors, for the same order', async (t) => {
      const app = await start(t, engine)
      await createUser(app)
      const forge = (value: unknown) =>
        Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
      const plain = ['', 'a', '!!!', '%00', '....', id, '1', 'bnVsbA', '__proto__', 'a'.repeat(1024)]
      const forged = [
        null,
        1,
        'null',
        '"x"',
        '{}',
        '{"length":1}',
        '[]',
        '[',
        '[null]',
        '[1]',
        '[""]',
        '["x"]',
        [`${id}0`],
        [id.toUpperCase().replace('7', 'G')],
        [id, id],
        [[id]],
        [{ user_id: id }],
        ["' OR 1=1 --"],
        '['.repeat(700),
        '\xff\xfe',
        ['username', 'a', 1],
        ['user_id', id, 1],
      ]
      const forgedSorted = [
        [id],
        ['username'],
        ['username', 'a'],
        ['username', 'a', 1],
        ['username', 'a', 'x'],
        ['username', 'a', `${id} `],
        ['username', 'a', [id]],
        ['username', 'a', null],
        ['username', 1, id],
        ['username', {}, id],
        ['username', ['a'], id],
        ['username', '\0', id],
        ['email', 'a', id],
        ['-username', 'a', id],
        ['username', 'a', id, 2],
        ['password_hash', 'a', id],
        `{"0":"username","1":"a","2":"${id}","length":3}`,
      ]
      const accepted = [
        ['username', 'a', id],
        ['username', '', '00000000-0000-0000-0000-000000000000'],
        ['username', '\ud800', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
        ['username', "'; DROP TABLE users", id],
        ['username', null, id],
      ]
      await assertAnswers(app, [
        ...plain.map((text): Row => [text, request(`GET /auth/users?limit=1&cursor=${text}`), 400]),
        ...forged.map((v): Row => [JSON.stringify(v), request(`GET /auth/users?limit=1&cursor=${forge(v)}`), 400]),
        ...forgedSorted.map(
          (v): Row => [JSON.stringify(v), request(`GET /auth/users?limit=1&sort=username&cursor=${forge(v)}`), 400],
        ),
        ...accepted.map(
          (v): Row => [JSON.stringify(v), request(`GET /auth/users?limit=1&sort=username&cursor=${forge(v)}`), 200],
        ),
        ['too long', request(`GET /auth/users?limit=1&cursor=${'a'.repeat(16_385)}`), 422],
        ['two of them', request(`GET /auth/users?limit=1&cursor=${forge([id])}&cursor=${forge([id])}`), 422],
      ])
    })
  })
}
