/** Well-framed requests whose path or headers make no sense. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createUser, engines, start } from '../harness.ts'
import { sqlTexts } from './hostile-texts.ts'
import { assertAnswers, type Row, request, write } from './raw-client.ts'

const id = '019a9f3e-0000-7000-8000-000000000000'

for (const engine of engines) {
  describe(`malformed requests on ${engine.name}`, () => {
    it('returns 400 for a path that cannot be decoded, and 404 for an unknown one', async (t) => {
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
