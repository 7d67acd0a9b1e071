/** Bodies of the wrong type, coding, syntax, shape or content. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { cases } from '../cases.ts'
import { createUser, engines, start } from '../harness.ts'
import { createPerson, openBrowser } from '../people.ts'
import { sqlTexts } from './hostile-texts.ts'
import { assertAnswers, type Row, request, utf8, write } from './raw-client.ts'

const id = '019a9f3e-0000-7000-8000-000000000000'

for (const engine of engines) {
  describe(`bodies on ${engine.name}`, () => {
    it('accepts only JSON bodies in UTF-8', async (t) => {
      const app = await start(t, engine)
      const body = '{"username":"media"}'
      const types = [
        'text/plain',
        'text/json',
        'application/xml',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'multipart/form-data',
        'application/octet-stream',
        'application/merge-patch+json',
        'application/json-patch+json',
        'application/vnd.api+json',
        'application/jsonp',
        'application/json+x',
        'application/jsonx',
        'application',
        '/json',
        'application/',
        'json',
        '*/*',
        'application/*',
        '',
        ';',
        ';;;',
        '; charset=utf-8',
        'application/json, text/plain',
        'application/json,application/json',
        'application/json text/plain',
        'application/json; charset=utf-16',
        'application/json; charset=latin1',
        'application/json; charset=us-ascii',
        'application/json; charset="utf-7"',
        'application/json; charset=',
        'application/json; charset=utf-8; charset=utf-16',
        'application/json; charset=utf-8, text/html',
        '\xff\xff',
        '"application/json"',
        '__proto__',
        'constructor/prototype',
        'application/json; charset =utf-16',
      ]
      const fine = [
        'application/json',
        'Application/JSON',
        'application/json; charset=utf-8',
        'application/json;charset="UTF-8"',
      ]
      await assertAnswers(app, [
        ...types.map((type): Row => [type, write(body, [`Content-Type: ${type}`]), [400, 415]]),
        // Refused for its member alone, so the type was taken.
        ...fine.map((type): Row => [type, write('{"a":1}', [`Content-Type: ${type}`]), 422]),
        ['no type', request('POST /auth/users', [`Content-Length: ${body.length}`], body), 415],
        [
          'no type, in chunks',
          request('POST /auth/users', ['Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'),
          415,
        ],
        [
          'a merge patch to PATCH',
          write('{}', ['Content-Type: application/merge-patch+json'], `PATCH /auth/users/${id}`),
          404,
        ],
        ['text to DELETE', write('x', ['Content-Type: text/plain'], `DELETE /auth/users/${id}`), 415],
        [
          'a type without a body to DELETE',
          write('', ['Content-Type: application/json'], `DELETE /auth/users/${id}`),
          404,
        ],
        ['a body to GET', write('{', ['Content-Type: application/json'], 'GET /auth/users?limit=1'), 200],
      ])
      assert.deepEqual((await app.call('GET', '/users')).body, [])
    })

    it('unpacks nothing', async (t) => {
      const app = await start(t, engine)
      const body = '{"username":"packed"}'
      const codings = [
        'gzip',
        'x-gzip',
        'deflate',
        'br',
        'zstd',
        'compress',
        'gzip, gzip',
        'identity, gzip',
        'aes128gcm',
        '',
        ',',
        '\xff',
      ]
      const packed = { gzip: gzipSync(body), br: brotliCompressSync(body), zstd: zstdCompressSync(body) }
      const bomb = gzipSync(Buffer.alloc(10_000_000, ' ')).toString('latin1')
      await assertAnswers(app, [
        ...codings.map((coding): Row => [coding, write(body, [`Content-Encoding: ${coding}`]), 415]),
        ...Object.entries(packed).map(
          ([coding, bytes]): Row => [
            `really ${coding}`,
            write(bytes.toString('latin1'), [`Content-Encoding: ${coding}`]),
            415,
          ],
        ),
        ['gzip in disguise', write(packed.gzip.toString('latin1')), 400],
        ['a bomb', write(bomb, ['Content-Encoding: gzip']), 415],
        ['on GET', request('GET /auth/users', ['Content-Encoding: gzip']), 415],
        ['identity', write('{"a":1}', ['Content-Encoding: identity']), 422],
      ])
      assert.deepEqual((await app.call('GET', '/users')).body, [])
    })

    it('refuses a body that is not JSON, or JSON that two readers could read in two ways', async (t) => {
      const app = await start(t, engine)
      const bodies = [
        '',
        ' ',
        '\0',
        '{',
        '}',
        '{}}',
        '{"username"}',
        '{"username":}',
        '{"username":"a",}',
        '{"username":"a"}x',
        '{"username":"a"}{"username":"b"}',
        '{"username":"a"}\0',
        "{'username':'a'}",
        '{username:"a"}',
        '{"username":"a" "email":"b"}',
        '{"username":"a"/* */}',
        '// a\n{}',
        '{"username":"a\nb"}',
        '{"username":"\\x41"}',
        '{"username":"\\u12"}',
        '{"username":"\\ud800"}',
        '{"username":"\\udc00\\ud800"}',
        '{"username":NaN}',
        '{"username":Infinity}',
        '{"username":undefined}',
        '{"username":01}',
        '{"username":.5}',
        '{"username":1.}',
        '{"username":+1}',
        '{"username":True}',
        '{"username":0x10}',
        'username=ada',
        '<user/>',
        '\xef\xbb\xbf{"username":"a"}',
        '\xff\xfe{\0}\0',
        '{"username":"\xff"}',
        '{"username":"\xc0\xaf"}',
        '{"username":"\xed\xa0\x80"}',
        '{"username":"\xe9"}',
        '{"username":"\xf8\x88\x80\x80\x80"}',
        '{"username":"a","username":"b"}',
        '{"username":"a","usern\\u0061me":"b"}',
        '{"username":"a","x":{"y":1,"y":2}}',
        '{"username":"a","__proto__":{"role":"admin"}}',
        '{"username":"a","\\u005f_proto__":{}}',
        '[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]',
        `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
        `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
        '['.repeat(60_000),
        '{"a":"'.repeat(9000),
        `{"username":"${'\\'.repeat(60_001)}"}`,
      ]
      await assertAnswers(
        app,
        bodies.flatMap((body): Row[] => [
          [`create ${body.slice(0, 40)}`, write(body), 400],
          [`update ${body.slice(0, 40)}`, write(body, [], `PATCH /auth/users/${id}`), 400],
        ]),
      )
      assert.deepEqual((await app.call('GET', '/users')).body, [])
    })

    it('refuses a body that the operation would ignore, such as a dry_run', async (t) => {
      const app = await start(t, engine)
      const ada = await createUser(app, { username: 'ada' })
      const bare = Object.entries(app.document.paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { requestBody, security }]) =>
          method !== 'get' && requestBody === undefined && (security as object[]).some((one) => 'ApiKey' in one)
            ? [
                `${method.toUpperCase()} /auth${path.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'user_id' ? String(ada.user_id) : id))}`,
              ]
            : [],
        ),
      )
      assert.ok(bare.includes(`DELETE /auth/users/${ada.user_id}`))
      await assertAnswers(
        app,
        bare.flatMap((line): Row[] => [
          [line, write('{"dry_run":true}', [], line), 422],
          [line, write('[]', [], line), 422],
          [line, write('"dry_run"', [], line), 422],
        ]),
      )
      assert.equal((await app.call('GET', `/users/${ada.user_id}`)).status, 200)
      const imported = await app.call('POST', '/users/import', { body: [{ username: 'eve' }] })
      assert.deepEqual([imported.status, imported.body.code], [415, 'unsupported_media_type'])
      for (const body of ['{}', 'null']) {
        const headers = { 'content-type': 'application/json' }
        assert.equal((await app.call('DELETE', `/users/${ada.user_id}?dry_run=true`, { body, headers })).status, 200)
      }
    })

    it('refuses JSON of another shape than the schema has', async (t) => {
      const app = await start(t, engine)
      const ada = await createUser(app, { username: 'ada' })
      const values = [
        '1',
        '-0',
        '1e400',
        '9007199254740993',
        'true',
        'false',
        '[]',
        '["a"]',
        '{}',
        '{"$ne":null}',
        '[[["a"]]]',
      ]
      const members = ['username', 'password', 'email', 'first_name', 'last_name', 'role', 'external_id']
      const whole = ['[]', '[{"username":"a"}]', '"a"', '1', 'null', 'true', '""', '[null]', '1e400']
      const others = [
        'user_id',
        'active',
        'has_password',
        'password_hash',
        'created_at',
        'permissions',
        'constructor',
        'prototype',
        'toString',
        'hasOwnProperty',
        '$where',
        'a/b',
        '~0~1',
        '',
        ' username',
        'Username',
        'userName',
        '\\u0000',
        'x'.repeat(1000),
        ...sqlTexts.map((text) => JSON.stringify(text).slice(1, -1)),
      ]
      const many = Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`m${i}`, i]))
      const nulls = members.filter((member) => member !== 'email' && member !== 'external_id')
      const patch = `PATCH /auth/users/${ada.user_id}`
      await assertAnswers(app, [
        ...whole.map((body): Row => [`create ${body}`, write(body), 422]),
        ...whole.map((body): Row => [`update ${body}`, write(body, [], patch), 422]),
        ...whole.map((body): Row => [`key ${body}`, write(body, [], 'POST /auth/keys'), 422]),
        ...members.flatMap((member) =>
          values.map((value): Row => {
            const body = member === 'username' ? `{"username":${value}}` : `{"username":"a","${member}":${value}}`
            return [`create ${body}`, write(body), 422]
          }),
        ),
        ...nulls.map((member): Row => [`null ${member}`, write(`{"${member}":null}`, [], patch), 422]),
        ...others.map((name): Row => [`create ${name}`, write(utf8(`{"username":"a","${name}":"b"}`)), 422]),
        ...['1', '"true"', 'null', '[]'].map((value): Row => [value, write(`{"active":${value}}`, [], patch), 422]),
        ['no username', write('{}'), 422],
        ['thousands of unknown members', write(JSON.stringify(many)), 422],
        ['a key without permissions', write('{"name":"a","permissions":[]}', [], 'POST /auth/keys'), 422],
        ['a key with numbers', write('{"name":"a","permissions":[1,2]}', [], 'POST /auth/keys'), 422],
        ['a key with one twice', write('{"name":"a","permissions":["*","*"]}', [], 'POST /auth/keys'), 422],
        [
          'a key with thousands',
          write(JSON.stringify({ name: 'a', permissions: Array(9000).fill('*') }), [], 'POST /auth/keys'),
          422,
        ],
        [
          'a key that ended',
          write('{"name":"a","permissions":["*"],"expires_at":"2020-01-01T00:00:00Z"}', [], 'POST /auth/keys'),
          422,
        ],
        [
          'a key to 30 February',
          write('{"name":"a","permissions":["*"],"expires_at":"2099-02-30T00:00:00Z"}', [], 'POST /auth/keys'),
          422,
        ],
      ])
      assert.deepEqual((await app.call('GET', '/users')).body, [ada])
    })

    it('refuses names that hide something or turn text around, of every kind', async (t) => {
      const app = await start(t, engine)
      const person = await createPerson(app)
      const browser = await openBrowser(app, person.username)
      const hiding = [
        ...'\n\t\u0085\u2028\u2029\u200b\u200e\u200f\u061c\u202e\u2066\u2069\u00ad\u034f\u2060\ufeff\u3164\u115f\ufff9\ufffe\u{e0041}',
      ]
      const kinds: [path: string, body: (name: string) => object][] = [
        ['/users', (first_name) => ({ username: 'x', first_name })],
        ['/users', (last_name) => ({ username: 'x', last_name })],
        ['/users', (username) => ({ username })],
        ['/groups', (name) => ({ name })],
        ['/groups', (description) => ({ name: 'x', description })],
        ['/keys', (name) => ({ name, permissions: ['users:read'] })],
        ['/webhooks', (description) => ({ url: 'https://example.com/hook', description })],
        ['/provisioning', (name) => ({ name })],
        ['/attributes', (label) => ({ name: 'x', type: 'string', label })],
        ['/attributes', (option) => ({ name: 'x', type: 'string', options: [option] })],
      ]
      for (const [path, body] of kinds) {
        for (const character of hiding) {
          const response = await app.call('POST', path, { body: body(`Ada${character}Lovelace`) })
          const code = `U+${character.codePointAt(0)?.toString(16)}`
          assert.deepEqual(
            [response.status, response.body.code],
            [422, 'validation_failed'],
            `${path} ${code}: ${response.text}`,
          )
        }
      }
      const factor = await browser.call('POST', '/me/factors/totp', { body: { name: 'Phone\u2028' } })
      assert.notEqual(factor.status, 500, factor.text)
      // What scripts need stays: joiners, variation selectors, marks.
      const names = ['می\u200cخواهم', 'क्\u200dष', '葛\u{e0100}城', 'Zoë ❤\ufe0f', 'עִבְרִית', 'O’Brien – Smith']
      for (const [n, first_name] of names.entries()) {
        const response = await app.call('POST', '/users', { body: { username: `u${n}`, first_name } })
        assert.deepEqual([response.status, response.body.first_name], [201, first_name], response.text)
      }
    })

    it('refuses text that no user can have', async (t) => {
      const app = await start(t, engine)
      const names = [
        '',
        ' ',
        'a b',
        '\0',
        'a\u0000b',
        '\u202eada',
        '\ufeff',
        '\u200b',
        '\ufffe',
        'a'.repeat(129),
        'é'.repeat(129),
        '\u{e0001}',
        '\ud83d\ude00',
      ]
      const addresses = [
        'a',
        '@',
        'a@',
        '@b',
        'a@b@c',
        'a b@c',
        'a@b\0',
        'a@b\r\nBcc: c@d',
        '"a"@b',
        `${'a'.repeat(250)}@b.de`,
        'a@.',
        'a@b..c',
        `${'a.'.repeat(100)}@`,
      ]
      const roles = ['', 'root', 'Admin', 'admin ', '__proto__', 'constructor', 'toString', 'a'.repeat(65)]
      const passwords = ['', 'short', 'password', ' '.repeat(20), 'a'.repeat(1025), '\0'.repeat(20), 'é'.repeat(600)]
      const create = (members: object) => write(utf8(JSON.stringify({ username: 'ada', ...members })))
      await assertAnswers(app, [
        ...names.map(
          (username): Row => [`username ${JSON.stringify(username.slice(0, 20))}`, create({ username }), 422],
        ),
        ...addresses.map((email): Row => [`email ${JSON.stringify(email.slice(0, 20))}`, create({ email }), 422]),
        ...roles.map((role): Row => [`role ${role}`, create({ role }), 422]),
        ...passwords.map((password): Row => [`password ${password.slice(0, 9)}`, create({ password }), 422]),
        ['a long first name', create({ first_name: 'a'.repeat(257) }), 422],
        ['a last name of two lines', create({ last_name: 'a\nb' }), 422],
        ['an empty external id', create({ external_id: '' }), 422],
      ])
      assert.deepEqual((await app.call('GET', '/users')).body, [])
    })

    it('responds to every object, and returns the text that it accepts', async (t) => {
      const app = await start(t, engine)
      const letters = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 })
      const text = fc.oneof(
        letters,
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
        fc.constantFrom(...sqlTexts),
      )
      const members = fc.record(
        {
          username: fc.oneof(text, fc.stringMatching(/^[a-z]{8,16}$/)),
          email: fc.oneof(text, fc.emailAddress()),
          first_name: text,
          last_name: text,
          external_id: text,
          role: fc.constantFrom('user', 'admin', '__proto__', 'root'),
        },
        { requiredKeys: ['username'] },
      )
      await fc.assert(
        fc.asyncProperty(fc.oneof(members, fc.jsonValue({ maxDepth: 20 })), async (body) => {
          const { status, body: response } = await app.call('POST', '/users', { body })
          assert.ok([201, 400, 409, 422].includes(status), JSON.stringify(response))
          if (status === 201) assert.deepEqual({ ...response, ...(body as object) }, response)
        }),
        { numRuns: cases(500) },
      )
    })

    it('keeps text with a meaning in SQL or HTML unchanged', async (t) => {
      const app = await start(t, engine)
      for (const [i, text] of sqlTexts.entries()) {
        const user = await createUser(app, { username: `user-sql-${i}`, external_id: text, first_name: text })
        assert.equal(user.external_id, text)
        const found = await app.call('GET', `/users?external_id=${encodeURIComponent(text)}`)
        assert.deepEqual(found.body, [user])
      }
      const all = await app.call('GET', '/users')
      assert.equal(all.body.length, sqlTexts.length)
    })
  })
}
