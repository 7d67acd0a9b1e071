/** Well-framed requests whose path, query, headers or body nobody in their right mind would send. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createUser, engines, start } from '../harness.ts'
import { assertAnswers, type Row, request, utf8, write } from './raw-client.ts'

const id = '019a9f3e-0000-7000-8000-000000000000'

const manyIds = (n: number) => Array(n).fill(`user_id=${id}`).join('&')

const sqlTexts = [
  "'",
  "''",
  '"',
  '`',
  "' OR '1'='1",
  "'; DROP TABLE users; --",
  "' UNION SELECT password_hash FROM users --",
  '1; ATTACH DATABASE "x" AS y',
  "x' || load_extension('y') || '",
  '%',
  '_',
  '%_%',
  '\\',
  '/*',
  '--',
  '?1',
  ':name',
  '@name',
  '$name',
  '#{1+1}',
  '{{7*7}}',
  '$(id)',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '=1+1',
  '0x00',
  'null',
  'undefined',
  'NaN',
  '[object Object]',
]

/** In the terms of FTS5, and characters that a tokenizer may stumble over. */
const searchTexts = [
  '*',
  '**',
  'a*',
  '^abc',
  'abc OR def',
  'abc AND',
  'NOT abc',
  'NEAR(abc def, 2)',
  'NEAR(',
  '(',
  ')))',
  'search_text : abc',
  '{search_text}: abc',
  '- search_text : abc',
  '"abc" + "def"',
  '"""',
  '""""',
  'abc"def',
  'rank:bm25(10.0)',
  'ab\0cd',
  '\0',
  '\0\0\0\0',
  ' ',
  '   ',
  '\t\n\r',
  '\u2028\u2029',
  '\u0301',
  '\u0301\u0301\u0301\u0301',
  '\u200b\u200d\ufeff',
  '\u00ad',
  '\u{1f600}',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\ufffd',
  '\uffff',
  '\u{10ffff}',
  '\u202eabc',
  'ﷺ',
  'ẞßſ',
  'İi̇',
  '中文用户',
  'عربي',
  'e\u0301'.repeat(100),
  'a'.repeat(256),
]

for (const engine of engines) {
  describe(`malformed requests on ${engine.name}`, () => {
    it('answers 400 to a path that cannot be decoded, and 404 to one that leads nowhere', async (t) => {
      const app = await start(t, engine)
      const undecodable = [
        '%',
        '%z',
        '%zz',
        '%0',
        '%ff',
        '%c0%af',
        '%c0%80',
        '%e0%80%af',
        '%ed%a0%80',
        '%f8%88%80%80%80',
      ]
      const nowhere = [
        '%00',
        'a%00b',
        '%0d%0aSet-Cookie:%20a=b',
        '%20',
        '.',
        '%2e',
        '%252e%252e',
        '..%2fkeys',
        '%2e%2e%2fkeys',
        '..%5ckeys',
        '..%c2%afkeys',
        'null',
        'undefined',
        'me%2f..',
        '*',
        '-1',
        '0',
        '1e309',
        "'",
        '{user_id}',
        ':user_id',
        '%7Buser_id%7D',
        id.replace('7', 'g'),
        `${id}0`,
        id.slice(1),
        id.replaceAll('-', ''),
        `{${id}}`,
        `urn:uuid:${id}`,
        `${id}%20`,
        `${id}%0a`,
        `${id};a=b`,
        `${id}.json`,
        id.toUpperCase(),
        id,
        '__proto__',
        'constructor',
        'hasOwnProperty',
        ...sqlTexts.map(encodeURIComponent).filter((text) => !text.includes('.')),
      ]
      const paths = [
        '/auth/users/',
        '/auth/users//',
        '/auth//users',
        '//auth/users',
        '/auth/users/../keys',
        '/auth/users/..;/keys',
        '/auth/users/%2e%2e/keys',
        '/auth/..;/auth/users',
        '/auth/users;a=b',
        '/auth/users%2f',
        '/auth%2fusers',
        '/%2fauth/users',
        '/auth/users%3flimit=1',
        '/auth/users%23',
        '/auth/users.json',
        '/auth/Users',
        '/auth/docs/assets/x/..%2f..%2fapp.ts',
        '/auth/docs/assets/x/%2e%2e%2f%2e%2e%2fapp.ts',
        '/auth/docs/assets/x/constructor',
        '/auth/docs/assets/../../package.json',
        '/auth/admin-key',
        '/auth/rollbook.db',
        '/auth/.env',
        '/auth/.git/config',
        '/.well-known/security.txt',
        '/favicon.ico',
        '/wp-login.php',
        '/cgi-bin/%%32%65%%32%65/bin/sh',
        '/auth/users/x/y',
        `/auth/keys/${id}`,
        '/auth/keys//rotate',
      ]
      const isUndecodable = (path: string) => path.includes('%%')
      await assertAnswers(app, [
        ...undecodable.map((part): Row => [part, request(`GET /auth/users/${part}`), 400]),
        ...undecodable.map((part): Row => [`nowhere ${part}`, request(`GET /${part}`), 400]),
        ...nowhere.map((part): Row => [`user ${part}`, request(`GET /auth/users/${part}`), 404]),
        ...nowhere.slice(0, 20).map((part): Row => [`rotate ${part}`, request(`POST /auth/keys/${part}/rotate`), 404]),
        ...nowhere.slice(0, 20).map((part): Row => [`delete ${part}`, request(`DELETE /auth/users/${part}`), 404]),
        // A key has nothing to be read by GET: its path is there with other methods.
        ...paths.map((path): Row => [path, request(`GET ${path}`), isUndecodable(path) ? 400 : [404, 405]]),
        ['an id of 5,000 characters', request(`GET /auth/users/${'0'.repeat(5000)}`), 414],
        ['an id of 200 characters', request(`GET /auth/users/${'0'.repeat(200)}`), 404],
        ['thousands of slashes', request(`GET ${'/'.repeat(20_000)}`), 404],
        ['thousands of dots', request(`GET /auth/${'../'.repeat(2600)}`), 404],
        ['thousands of escapes', request(`GET /auth/users/${'%41'.repeat(2600)}`), 414],
        ['thousands of escaped percents', request(`GET /auth/users/${'%25'.repeat(2600)}`), 414],
      ])
    })

    it('takes bodies as JSON in UTF-8, and as nothing else', async (t) => {
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

    it('keeps text that means something to SQL or HTML as it was given', async (t) => {
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
        ...['created_after', 'created_before', 'last_login_after', 'last_login_before'].flatMap((name) =>
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

    it('searches for any text there is', async (t) => {
      const app = await start(t, engine)
      await createUser(app, { username: 'ada', first_name: 'Ada', last_name: 'a*b "c" OR d' })
      const texts = [...searchTexts, ...sqlTexts]
      const parameters = ['q', 'username', 'email', 'external_id', 'role', 'user_id']
      await assertAnswers(app, [
        ...texts.flatMap((text): Row[] => {
          const q = `q=${encodeURIComponent(text)}`
          return ['', '&limit=5', '&limit=5&sort=-email&count=true'].map((more) => [
            `${q}${more}`,
            request(`GET /auth/users?${q}${more}`),
            200,
          ])
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

    it('takes no cursor but one of its own, for the same order', async (t) => {
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
        ['username', 'a', '1'],
        ['username', 'a', 1.5],
        ['username', 'a', 1e300],
        ['username', 'a', null],
        ['username', 1, 1],
        ['username', {}, 1],
        ['username', ['a'], 1],
        ['email', 'a', 1],
        ['-username', 'a', 1],
        ['username', 'a', 1, 2],
        ['password_hash', 'a', 1],
        '{"0":"username","1":"a","2":1,"length":3}',
      ]
      const accepted = [
        ['username', 'a', 1],
        ['username', '', -1],
        ['username', '\0', 0],
        ['username', '\ud800', Number.MAX_SAFE_INTEGER],
        ['username', "'; DROP TABLE users", Number.MIN_SAFE_INTEGER],
        ['username', null, 1],
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
        ['too long', request(`GET /auth/users?limit=1&cursor=${'a'.repeat(1025)}`), 422],
        ['two of them', request(`GET /auth/users?limit=1&cursor=${forge([id])}&cursor=${forge([id])}`), 422],
      ])
    })

    it('reads the headers that it knows with care', async (t) => {
      const app = await start(t, engine)
      const { user_id } = await createUser(app)
      const tags = [
        '1',
        '"1',
        '1"',
        '"1" "2"',
        '"1",,x',
        'W/1',
        'w/"1"',
        'W/',
        '**',
        '*, "1"',
        '"\\"1\\""',
        ',',
        '',
        '"1";',
        '"a b"',
        "'1'",
        '"1"x',
      ]
      const fineTags = ['*', '"x"', 'W/"1"', '"1", "2"', ' "x" , , "y"', '"\xff"', '""', `${'"x",'.repeat(2000)}"x"`]
      const accepts = [
        '',
        '*',
        '*/*',
        '*/*;q=0.1',
        'text/*',
        'application/json;q=x, */*',
        ';;;, */*',
        ',,,',
        'application/json;version=2',
        '*; q=.2',
        `${'text/a,'.repeat(2000)}*/*`,
      ]
      const unacceptable = [
        'image/png',
        'application/xml',
        'application/json;q=0',
        '*/*;q=0',
        'text/html, text/csv;q=0',
        'x',
        '\xff',
        '/',
        'text/*;q=-1',
        'application/json;q=x',
      ]
      const encodings = [
        '',
        'gzip',
        'identity;q=0',
        '*;q=0',
        'gzip;q=x',
        'bogus',
        '\xff',
        ',,,',
        'gzip;q=1e9',
        `${'a,'.repeat(5000)}`,
        '__proto__',
        'constructor',
      ]
      const idempotencyKeys = ['', 'a b', '\xff', 'a\tb', 'a'.repeat(256), 'a, b']
      const get = `GET /auth/users/${user_id}`
      const patch = `PATCH /auth/users/${user_id}`
      await assertAnswers(app, [
        ...tags.map((tag): Row => [`If-None-Match: ${tag}`, request(get, [`If-None-Match: ${tag}`]), 400]),
        ...tags.map((tag): Row => [`If-Match: ${tag}`, write('{"first_name":"A"}', [`If-Match: ${tag}`], patch), 400]),
        ...fineTags.map((tag): Row => [`If-None-Match: ${tag}`, request(get, [`If-None-Match: ${tag}`]), [200, 304]]),
        ...fineTags
          .slice(1)
          .map(
            (tag): Row => [`If-Match: ${tag}`, write('{"first_name":"A"}', [`If-Match: ${tag}`], patch), [200, 412]],
          ),
        ...accepts.map((accept): Row => [`Accept: ${accept}`, request('GET /auth/users', [`Accept: ${accept}`]), 200]),
        ...unacceptable.map(
          (accept): Row => [`Accept: ${accept}`, request('GET /auth/users', [`Accept: ${accept}`]), 406],
        ),
        ...encodings.map(
          (coding): Row => [
            `coding ${coding}`,
            request('GET /auth/users?limit=1', [`Accept-Encoding: ${coding}`]),
            200,
          ],
        ),
        ...idempotencyKeys.map(
          (one): Row => [`Idempotency-Key: ${one}`, write('{"username":"b"}', [`Idempotency-Key: ${one}`]), 400],
        ),
        ['an Idempotency-Key to PATCH', write('{}', ['Idempotency-Key: \xff'], patch), 200],
        ['Range', request('GET /auth/users', ['Range: bytes=0-0,-1,x']), 200],
        ['If-Range and If-Modified-Since', request(get, ['If-Range: x', 'If-Modified-Since: yesterday']), 200],
        [
          'a method in a header',
          request('GET /auth/users', ['X-HTTP-Method-Override: DELETE', '_method: DELETE']),
          200,
        ],
        [
          'forwarded',
          request('GET /auth/users', [
            'X-Forwarded-For: \xff',
            'Forwarded: for="',
            'X-Forwarded-Host: a b',
            'X-Original-URL: /auth/keys',
            'X-Rewrite-URL: /x',
          ]),
          200,
        ],
        [
          'a version',
          request('GET /auth/users', ['Accept-Version: 9', 'Accept-Charset: \xff', 'Accept-Language: ;']),
          200,
        ],
        ['a cookie', request('GET /auth/users', ['Cookie: =;=;\xff; __Host-rollbook=x; __proto__=1']), 200],
        [
          'preflight',
          request('OPTIONS /auth/users', ['Origin: https://example.com', 'Access-Control-Request-Method: GET']),
          405,
        ],
      ])
      assert.equal((await app.call('GET', `/users/${user_id}`)).status, 200)
    })
  })
}
