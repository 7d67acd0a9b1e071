/** Bytes that are not HTTP, nearly HTTP, or HTTP that two readers could read in two ways. */
import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../cases.ts'
import { engines, start } from '../harness.ts'
import {
  assertAnswers,
  assertCivil,
  assertWell,
  exchange,
  key,
  portOf,
  type Row,
  request,
  utf8,
  write,
} from './raw-client.ts'

const live = 'GET /auth/health/live'
const host = 'Host: localhost'

/** Everything by hand, for what `request` would put right. */
const lines = (...all: string[]): string => [...all, '', ''].join('\r\n')

for (const engine of engines) {
  describe(`bytes on ${engine.name}`, () => {
    it('responds to what is not HTTP with a problem document and closes the connection', async (t) => {
      const app = await start(t, engine)
      const texts = [
        'hello',
        'GET',
        'GET /',
        '{"username":"ada"}',
        'SSH-2.0-OpenSSH_9.6',
        'EHLO example.com',
        '*1\r\n$4\r\nPING',
        '<?xml version="1.0"?>',
        '() { :; }; echo vulnerable',
        'OPTIONS sip:nm SIP/2.0',
        '%00%00%00',
        '\0\0\0\0\0\0\0\0',
        '\xff\xfe\xfd',
        '\u00e9\u00e8',
        '-1',
        'x'.repeat(10_000),
      ]
      await assertAnswers(app, [
        ...texts.map((text): Row => [text.slice(0, 40), `${text}\r\n\r\n`, 400]),
        ['a TLS hello', Buffer.from('16030100f1010000ed0303'.padEnd(200, '0'), 'hex').toString('latin1'), 400],
        ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
        ['a PROXY protocol line', `PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n${request(live)}`, 400],
        ['a request without a version, as HTTP/0.9 had it', 'GET /auth/health/live\r\n\r\n', 400],
      ])
    })

    it('accepts only a request line as defined in RFC 9112', async (t) => {
      const app = await start(t, engine)
      const bad = [
        'GET /auth/health/live HTTP/1.1 ',
        ' GET /auth/health/live HTTP/1.1',
        'GET\t/auth/health/live\tHTTP/1.1',
        'GET /auth/health/live\tHTTP/1.1',
        'get /auth/health/live HTTP/1.1',
        'Get /auth/health/live HTTP/1.1',
        'GETT /auth/health/live HTTP/1.1',
        'BREW /auth/health/live HTTP/1.1',
        'G\0T /auth/health/live HTTP/1.1',
        '"GET" /auth/health/live HTTP/1.1',
        'GET /auth/health/live http/1.1',
        'GET /auth/health/live HTTP/1',
        'GET /auth/health/live HTTP/1.',
        'GET /auth/health/live HTTP/.1',
        'GET /auth/health/live HTTP/1.10',
        'GET /auth/health/live HTTP/11',
        'GET /auth/health/live HTTP/-1.1',
        'GET /auth/health/live HTTP/1.1.1',
        'GET /auth/health/live HTTP 1.1',
        'GET /auth/health/live HTTPS/1.1',
        'GET /auth/health/live HTCPCP/1.0',
        'GET /auth/health/live ICE/1.0',
        'GET /auth/health/live FTP',
        'GET /auth/a space HTTP/1.1',
        'GET HTTP/1.1',
        'GET /auth/\x01 HTTP/1.1',
        'GET /auth/\x7f HTTP/1.1',
        'GET /auth/\0 HTTP/1.1',
        'GET /auth/\xe9 HTTP/1.1',
        `GET /auth/${utf8('é')} HTTP/1.1`,
        'GET \\auth\\health\\live HTTP/1.1',
      ]
      const versions = ['0.0', '0.9', '1.2', '1.9', '2.0', '2.1', '3.0', '9.9']
      await assertAnswers(app, [
        ...bad.map((line): Row => [line, lines(line, host), 400]),
        ...versions.map((version): Row => [`HTTP/${version}`, request(live, [], '', { version }), 400]),
        ['HTTP/1.0 without Host', request(live, [], '', { version: '1.0', host: null }), 200],
        ['HTTP/1.1', request(live), 200],
        // RFC 9112 §3: a reader may take more than one space for one.
        ['two spaces', lines('GET  /auth/health/live  HTTP/1.1', host, 'Connection: close'), 200],
        // RFC 9112 §2.2: a reader should skip empty lines before a request.
        ['an empty line before it', `\r\n${request(live)}`, 200],
      ])
    })

    it('responds to every method that Node knows, on known and unknown paths', async (t) => {
      const app = await start(t, engine)
      const here = { '/auth/health/live': ['GET', 'HEAD'], '/auth/users/1': ['GET', 'HEAD', 'PATCH', 'DELETE'] }
      const rows = METHODS.filter((method) => method !== 'CONNECT' && method !== 'HEAD').flatMap((method): Row[] => [
        [`${method} nowhere`, request(`${method} /auth/nowhere`), 404],
        [`${method} with a body`, write('{"a":', ['Content-Type: text/odd'], `${method} /auth/nowhere`), 404],
        ...Object.entries(here)
          .filter(([, methods]) => !methods.includes(method))
          .map(([path]): Row => [`${method} ${path}`, request(`${method} ${path}`), 405]),
      ])
      await assertAnswers(app, [
        ...rows,
        // This is no proxy; Node hangs up.
        ['CONNECT', request('CONNECT example.com:443'), 'closed'],
        ['CONNECT of a path', request('CONNECT /auth/users'), 'closed'],
      ])
    })

    it('finds the path in each form of a request target', async (t) => {
      const app = await start(t, engine)
      await assertAnswers(app, [
        ['a whole URL', request('GET http://localhost:8080/auth/health/live'), 200],
        ['a whole URL without the prefix', request('GET http://localhost:8080/health/live'), 200],
        ['a whole URL in capitals', request('GET HTTP://LOCALHOST/auth/health/live'), 200],
        ['a whole URL of elsewhere', request('GET https://example.com/auth/users?limit=1'), 200],
        ['a port that is none', request('GET http://localhost:99999/auth/users?limit=1'), 200],
        ['with a user and a password', request('GET http://a:b@localhost/auth/health/live'), 200],
        ['no path', request('GET http://localhost'), 302],
        ['a query without a path', request('GET http://localhost?limit=1'), 302],
        ['no host', request('GET http:///auth/health/live'), 200],
        ['another scheme', request('GET ftp://localhost/auth/health/live'), 404],
        ['javascript', request('GET javascript:alert(1)'), [400, 404]],
        ['authority form', request('GET localhost:8080'), 400],
        ['no slash', request('GET auth/health/live'), 400],
        ['*', request('GET *'), 404],
        ['OPTIONS *', request('OPTIONS *'), 404],
        ['**', request('OPTIONS **'), [400, 404]],
        ['?', request('GET ?'), 400],
        ['a fragment', request('GET /auth/health/live#x'), 400],
        ['a fragment before the query', request('GET /auth/users#?limit=1'), 400],
        ['a fragment after the query', request('GET /auth/users?limit=1#x'), 400],
        ['the root', request('GET /'), 302],
        ['the prefix alone', request('GET /auth'), 302],
        ['without the prefix', request('GET /users?limit=1'), 200],
        ['the prefix twice', request('GET /auth/auth/users'), 404],
        ['the prefix as a beginning', request('GET /authx/users'), 404],
        ['the prefix in capitals', request('GET /AUTH/users'), 404],
      ])
    })

    it('requires one valid Host', async (t) => {
      const app = await start(t, engine)
      const good = ['localhost', 'localhost:8080', '', 'a_b.example', '127.0.0.1:1', '[::1]', '[::1]:8080', 'x:']
      const bad = [
        'a b',
        'a/b',
        'http://localhost',
        'localhost:port',
        'a:1:2',
        'user@localhost',
        'localhost?',
        'localhost#',
        'a\\b',
        '<script>',
        '"localhost"',
        '[::1',
        '::1]',
        'a, b',
        'localhost\x7f',
        '\xe9',
        '{{7*7}}',
      ]
      await assertAnswers(app, [
        ...good.map((name): Row => [`Host: ${name}`, request(live, [], '', { host: `Host: ${name}` }), 200]),
        ...bad.map((name): Row => [`Host: ${name}`, request(live, [], '', { host: `Host: ${name}` }), 400]),
        ['no Host', request(live, [], '', { host: null }), 400],
        ['two of them', request(live, ['Host: localhost:8080']), 400],
        ['another in other letters', request(live, ['hOST: example.com']), 400],
        ['two in HTTP/1.0', request(live, ['Host: b'], '', { version: '1.0' }), 400],
        // Past Node's own limit of 2,000 headers the rest would be dropped unseen.
        ['another after many headers', request(live, [...Array(2100).fill('a:'), 'Host: b']), 431],
        ['many headers', request(live, Array(300).fill('a:')), 431],
      ])
    })

    it('refuses malformed headers before any handler reads them', async (t) => {
      const app = await start(t, engine)
      const bad = [
        'X-A : b',
        'X-A',
        ': b',
        ' X-A: b',
        'X-A: b\r\n c',
        'X-A: b\r\n\tc',
        'X A: b',
        'X-A: b\0c',
        'X-A\0: b',
        'X-A: b\rc',
        'X-A: b\nX-B: c\n\n',
        'X-(A): b',
        'X-\xe9: b',
        'X-A: \x01',
        'X-A: \x7f',
        '"X": b',
        'X@A: b',
        'X-A: \x08',
      ]
      const good = ['X-A:', 'X-A:b', 'X-A:   b   ', 'X-A: \xe9\xff', '__proto__: b', 'constructor: b', 'toString: b']
      await assertAnswers(app, [
        ...bad.map((line): Row => [line, request(live, [line]), 400]),
        ...good.map((line): Row => [line, request(live, [line]), 200]),
        ['line feeds alone', request(live).replaceAll('\r\n', '\n'), 400],
        ['carriage returns alone', request(live).replaceAll('\r\n', '\r'), 400],
        ['a line feed alone before the body', write('{}').replace('\r\n\r\n{}', '\r\n\n{}'), 400],
        ['headers that are too large', request(live, [`X-A: ${'a'.repeat(17_000)}`]), 431],
        [
          'a URL and headers that are not',
          request(`GET /auth/users?${'user_id=1&'.repeat(500)}`, [`X-A: ${'a'.repeat(16_000)}`]),
          [200],
        ],
        ['a header name that is too large', request(live, [`${'a'.repeat(20_000)}: b`]), 431],
        ['headers that are much too large', request(live, [`X-A: ${'a'.repeat(1_000_000)}`]), 431],
        ['a URL that is too long', request(`GET /auth/${'a'.repeat(25_000)}`), 414],
        ['a query that is too long', request(`GET /auth/users?q=${'a'.repeat(25_000)}`), 414],
        ['a URL that is much too long', request(`GET /auth/${'a'.repeat(100_000)}`), 414],
      ])
    })

    it('refuses a body whose end is ambiguous', async (t) => {
      const app = await start(t, engine)
      const type = 'Content-Type: application/json'
      const chunked = 'Transfer-Encoding: chunked'
      const hidden = 'GET /auth/users HTTP/1.1\r\nHost: hidden\r\n\r\n'
      const framed = (headers: string[], body: string) => request('POST /auth/users', [type, ...headers], body)
      const lengths = [
        '-1',
        '+2',
        '0x2',
        '2.0',
        '2e0',
        '2 2',
        '2,2',
        '2, 3',
        '""',
        'two',
        '\u00b2',
        '1_0',
        '9'.repeat(30),
      ]
      const codings = [
        'identity',
        'xchunked',
        'chunke',
        'chunked, identity',
        'chunked, gzip',
        '"chunked"',
        'chunked;q=1',
      ]
      const sizes = ['z', '-1', '0x2', '+2', '2 2', ' 2', '', 'f'.repeat(17), '\u00b2', '2\x01', '2;\0', '2;a=\n']
      await assertAnswers(app, [
        ...lengths.map((n): Row => [`Content-Length: ${n}`, framed([`Content-Length: ${n}`], '{}'), 400]),
        ...codings.map((c): Row => [`Transfer-Encoding: ${c}`, framed([`Transfer-Encoding: ${c}`], '0\r\n\r\n'), 400]),
        ...sizes.map((size): Row => [`chunk size ${size}`, framed([chunked], `${size}\r\n{}\r\n0\r\n\r\n`), 400]),
        ['two lengths', framed(['Content-Length: 2', 'Content-Length: 44'], `{}${hidden}`), 400],
        ['one length twice', framed(['Content-Length: 2', 'Content-Length: 2'], '{}'), 400],
        ['length and chunks', framed(['Content-Length: 5', chunked], `0\r\n\r\n${hidden}`), 400],
        ['chunks and length', framed([chunked, 'Content-Length: 5'], `0\r\n\r\n${hidden}`), 400],
        ['a space before the colon', framed(['Transfer-Encoding : chunked'], `0\r\n\r\n${hidden}`), 400],
        ['a tab before the value', framed(['Transfer-Encoding:\tchunked'], '2\r\n{}\r\n0\r\n\r\n'), 422],
        ['a vertical tab before the value', framed(['Transfer-Encoding:\x0bchunked'], '0\r\n\r\n'), 400],
        ['a folded coding', framed(['Transfer-Encoding:\r\n chunked'], '0\r\n\r\n'), 400],
        ['chunked twice', framed([chunked, chunked], '0\r\n\r\n'), 400],
        ['chunked and then another', framed([chunked, 'Transfer-Encoding: identity'], '0\r\n\r\n'), 400],
        ['a chunk longer than its size', framed([chunked], '1\r\n{}\r\n0\r\n\r\n'), 400],
        ['line feeds alone between chunks', framed([chunked], '2\n{}\n0\n\n'), 400],
        ['a chunk extension without end', framed([chunked], `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), 400],
        [
          'trailers without end',
          framed([chunked], `2\r\n{}\r\n0\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`),
          [400, 422, 431],
        ],
        ['a bad size after a good chunk', [framed([chunked], '1\r\n{\r\n'), 30, 'zz\r\n}\r\n0\r\n\r\n'], 400],
        ['a trailer that would be a header', framed([chunked], '2\r\n{}\r\n0\r\nX-API-Key: x\r\n\r\n'), 422],
        [
          'chunks in HTTP/1.0',
          request('POST /auth/users', [type, chunked], '2\r\n{}\r\n0\r\n\r\n', { version: '1.0' }),
          422,
        ],
        ['a coding under the chunks', framed(['Transfer-Encoding: gzip, chunked'], '2\r\n\x1f\x8b\r\n0\r\n\r\n'), 400],
      ])
      assert.ok(!app.logLines().some((line) => line.includes('hidden')))
      assert.deepEqual((await app.call('GET', '/users')).body, [])
    })

    it('refuses a repeated header that may appear only once', async (t) => {
      const app = await start(t, engine)
      const body = '{"username":"twice"}'
      await assertAnswers(app, [
        ['two API keys', request('GET /auth/users', ['X-API-Key: another']), 400],
        ['two Authorizations', request('GET /auth/users', Array(2).fill('Authorization: Bearer a')), 400],
        ['two media types', write(body, ['Content-Type: application/json', 'Content-Type: text/plain']), 400],
        ['two Idempotency-Keys', write(body, ['Idempotency-Key: a', 'Idempotency-Key: b']), 400],
        ['two of what is a list', request('GET /auth/users', ['Accept: text/csv', 'Accept: application/json']), 200],
      ])
      assert.deepEqual((await app.call('GET', '/users')).body, [])
    })

    it('meets no expectation but 100-continue, and changes no protocol', async (t) => {
      const app = await start(t, engine)
      const upgrade = (name: string) => request(live, ['Connection: upgrade', `Upgrade: ${name}`])
      await assertAnswers(app, [
        ['Expect: 100-continue', write('{}', ['Expect: 100-continue']), 422],
        ['Expect: 100-Continue', write('{}', ['Expect: 100-Continue']), 422],
        ['Expect: tea', write('{}', ['Expect: tea']), 417],
        ['an empty Expect', write('{}', ['Expect:']), 417],
        ['Expect: 100-continue, tea', write('{}', ['Expect: 100-continue, tea']), 417],
        ['Expect: 200-ok without a body', request(live, ['Expect: 200-ok']), 417],
        // RFC 9110 §10.1.1: HTTP/1.0 does not know it.
        ['Expect in HTTP/1.0', request(live, ['Expect: tea'], '', { version: '1.0' }), 200],
        ['websocket', upgrade('websocket'), 200],
        ['h2c', upgrade('h2c'), 200],
        ['TLS/1.3', upgrade('TLS/1.3'), 200],
        ['garbage', upgrade('\xff\xff'), 200],
      ])
    })

    it('responds to a pipeline in its order, including what is not HTTP', async (t) => {
      const app = await start(t, engine)
      const port = await portOf(app)
      const open = `${[`GET /auth/users HTTP/1.1`, host, key].join('\r\n')}\r\n\r\n`
      const statuses = async (text: string, expected: number) => {
        const { answers, closed } = await exchange(port, [text], { expected })
        answers.forEach((response) => {
          assertCivil(response)
        })
        return [...answers.map(({ status }) => status), closed ? 'closed' : 'open']
      }
      assert.deepEqual(await statuses(open.repeat(3), 3), [200, 200, 200, 'open'])
      assert.deepEqual(await statuses(`${open}${request('GET /auth/nowhere')}`, 3), [200, 404, 'closed'])
      assert.deepEqual(await statuses(`${request(live)}${open}`, 2), [200, 'closed'])
      assert.deepEqual(await statuses(`${open}${open}rubbish\r\n\r\n`, 4), [200, 200, 400, 'closed'])
      assert.deepEqual(await statuses(`${open}rubbish\r\n\r\n${open}`, 3), [200, 400, 'closed'])
      await assertWell(app, port)
    })

    it('survives a valid request with any bytes changed', async (t) => {
      const app = await start(t, engine)
      const port = await portOf(app)
      const valid = [
        write('{"username":"ada","email":"ada@example.com"}', ['Idempotency-Key: 1', 'X-Request-Id: a']),
        request('GET /auth/users?limit=10&sort=-username&q=%C3%A9ab&active=true', ['If-None-Match: "1", W/"2"']),
        request('PATCH /auth/users/019a9f3e-0000-7000-8000-000000000000', ['Content-Length: 2', 'If-Match: *'], '{}'),
      ]
      const change = fc.record({
        at: fc.nat(600),
        remove: fc.nat(3),
        insert: fc.oneof(
          fc.constantFrom(
            '',
            '\r',
            '\n',
            '\r\n',
            '\0',
            ' ',
            ':',
            ';',
            ',',
            '"',
            '%',
            '%00',
            '\xff',
            '{',
            '[',
            '?',
            '/',
          ),
          fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
        ),
      })
      const mutant = fc.tuple(fc.constantFrom(...valid), fc.array(change, { minLength: 1, maxLength: 3 }))
      await fc.assert(
        fc.asyncProperty(mutant, async ([text, changes]) => {
          let bytes = text
          for (const { at, remove, insert } of changes) {
            bytes = bytes.slice(0, at % bytes.length) + insert + bytes.slice((at % bytes.length) + remove)
          }
          // One that now promises more than it sends is left waiting, which is right.
          const { answers } = await exchange(port, [bytes], { withinMs: 30 })
          for (const response of answers) assertCivil(response)
        }),
        { numRuns: cases(300) },
      )
      await assertWell(app, port)
    })
  })
}
