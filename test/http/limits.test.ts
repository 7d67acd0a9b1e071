import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, engines, start } from '../harness.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { assertWithin } from '../time-limit.ts'
import {
  assertAnswers,
  assertCivil,
  assertWell,
  exchange,
  key,
  type Part,
  portOf,
  type Row,
  request,
  write,
} from './raw-client.ts'

const bodyOf = (bytes: number) => `{"username":"a","x":"${'a'.repeat(bytes - 23)}"}`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const chunked = (parts: Part[]) => [
  request('POST /auth/users', ['Content-Type: application/json', 'Transfer-Encoding: chunked']),
  ...parts,
]

for (const engine of engines) {
  describe(`limits on ${engine.name}`, () => {
    it('reads a body of 64 KiB, and not one byte more', async (t) => {
      const app = await start(t, engine)
      const last = '0\r\n\r\n'
      const megabytes = Array.from({ length: 80 }, () => chunk('a'.repeat(65_536)))
      await assertAnswers(app, [
        // Read, and then refused for its unknown member.
        ['64 KiB', write(bodyOf(65_536)), 422],
        ['a byte more', write(bodyOf(65_537)), 413],
        ['64 KiB in chunks', chunked([chunk(bodyOf(65_536)), last]), 422],
        ['a byte more in chunks', chunked([chunk(bodyOf(65_537)), last]), 413],
        ['in small chunks', chunked([...bodyOf(65_536)].map(chunk).concat(last)), 422],
        ['a byte more in small chunks', chunked([...bodyOf(65_537)].map(chunk).concat(last)), 413],
        [
          'a length alone',
          request('POST /auth/users', ['Content-Type: application/json', 'Content-Length: 1000000000000']),
          413,
        ],
        [
          'a length alone with Expect',
          request('POST /auth/users', [
            'Content-Type: application/json',
            'Content-Length: 65537',
            'Expect: 100-continue',
          ]),
          413,
        ],
        ['to PATCH', write(bodyOf(65_537), [], 'PATCH /auth/users/x'), 413],
        ['to DELETE', write(bodyOf(65_537), [], 'DELETE /auth/users/x'), 413],
        ['spaces', write(`${' '.repeat(65_536)}{}`), 413],
      ])
      // A client that keeps sending may find the connection closed before it reads the response.
      const { answers, closed } = await exchange(await portOf(app), chunked(megabytes))
      for (const response of answers) assertCivil(response)
      assert.ok(closed)
    })

    it('reads as much as is configured', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_BODY_LIMIT_BYTES: '4096' } })
      await assertAnswers(app, [
        ['4 KiB', write(bodyOf(4096)), 422],
        ['a byte more', write(bodyOf(4097)), 413],
      ])
    })

    it('reads the rest of a body that it refused, and then the next request of the connection', async (t) => {
      const app = await start(t, engine)
      const port = await portOf(app)
      const rows = `usrname\n${'ada\n'.repeat(250_000)}`
      const csv = ['Content-Type: text/csv']
      const json = ['Content-Type: application/json']
      const cases: [name: string, target: string, headers: string[], status: number, form?: { key: null }][] = [
        ['an unknown column', 'POST /auth/users/import', csv, 422],
        ['a row that is missing', 'POST /auth/users/import?from_row=7', csv, 409],
        ['an unknown option', 'POST /auth/users/import?mode=x', csv, 422],
        ['no gzip', 'POST /auth/users/import', [...csv, 'Content-Encoding: gzip'], 400],
        ['another coding', 'POST /auth/users/import', [...csv, 'Content-Encoding: br'], 415],
        ['another type', 'POST /auth/users/import', ['Content-Type: text/plain'], 415],
        ['no credential', 'POST /auth/users/import', csv, 401, { key: null }],
        ['too large', 'POST /auth/users', json, 413],
        ['no path', 'POST /auth/nowhere', json, 404],
        ['no body expected', 'GET /auth/users', json, 200],
        ['SCIM', 'POST /auth/scim/v2/Users', ['Content-Type: application/scim+json'], 401, { key: null }],
        ['a form', 'POST /auth/login', ['Content-Type: application/x-www-form-urlencoded'], 413, { key: null }],
      ]
      const next = request('GET /auth/health/live')
      for (const [name, target, headers, status, form = {}] of cases) {
        for (const [framing, body] of [
          [`Content-Length: ${rows.length}`, [rows.slice(0, 200_000), 20, rows.slice(200_000)]],
          ['Transfer-Encoding: chunked', [chunk(rows.slice(0, 200_000)), 20, chunk(rows.slice(200_000)), '0\r\n\r\n']],
        ] as [string, Part[]][]) {
          const head = request(target, [...headers, framing], '', form).replace('Connection: close\r\n', '')
          const { answers } = await exchange(port, [head, ...body, next], { expected: 2 })
          const statuses = answers.map((response) => response.status)
          assert.deepEqual(statuses, [status, 200], `${name}, ${framing}`)
        }
      }
    })

    it('refuses before it reads: unknown callers are refused without sending the body', async (t) => {
      const app = await start(t, engine)
      const waiting = ['Content-Type: application/json', 'Content-Length: 60000', 'Expect: 100-continue']
      await assertAnswers(app, [
        ['no credential', request('POST /auth/users', waiting, '', { key: null }), 401],
        ['nowhere', request('POST /auth/nowhere', waiting), 404],
        ['another coding', request('POST /auth/users', [...waiting, 'Content-Encoding: gzip']), 415],
      ])
    })

    it('disconnects clients that take too long to send, with 408 if anything arrived', async (t) => {
      const env = { ROLLBOOK_HEADERS_TIMEOUT_SECONDS: '1', ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '2' }
      const app = await start(t, engine, { env })
      const drip = (text: string): Part[] => [...text].flatMap((letter) => [letter, 100])
      const head = request('POST /auth/users', ['Content-Type: application/json', 'Content-Length: 100'])
      const started = performance.now()
      await assertAnswers(app, [
        ['silence', [''], 'closed'],
        ['half a request line', 'GET /auth/use', 408],
        ['half a header', 'GET /auth/users HTTP/1.1\r\nHost: loc', 408],
        ['headers without end', request('GET /auth/users').slice(0, -2), 408],
        ['headers drop by drop', drip(request('GET /auth/users', ['X-A: b'.repeat(20)])), 408],
        ['no body', head, 408],
        ['half a body', `${head}{"username":`, 408],
        ['a body drop by drop', [head, ...drip('{"username":"a","email":"a@example.com"}')], 408],
        ['a chunk without end', chunked(['fff\r\n{"user']), 408],
      ])
      assertWithin(6000, started, 'the limits are those of the configuration')
      assert.deepEqual((await app.call('GET', '/users')).body, [])
      assert.ok(app.logLines().some((line) => line.includes('ERR_HTTP_REQUEST_TIMEOUT')))
    })

    it('closes a connection that is kept but not used', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_KEEP_ALIVE_SECONDS: '1' } })
      const port = await portOf(app)
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET /auth/health/live HTTP/1.1\r\nHost: a\r\n\r\n`)
      socket.resume()
      const started = performance.now()
      await once(socket, 'close')
      assertWithin(4000, started)
    })

    it('accepts only the configured number of connections at once', async (t) => {
      const app = await start(t, engine, { env: { ROLLBOOK_MAX_CONNECTIONS: '2' } })
      const port = await portOf(app)
      const open = (): Promise<Socket> =>
        new Promise((resolve) => {
          const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', () => {})
        })
      const first = await open()
      await open()
      await sleep(20)
      const { answers, closed } = await exchange(port, [request('GET /auth/health/live')])
      assert.deepEqual([answers, closed], [[], true])
      first.destroy()
      const isServed = async () => (await exchange(port, [request('GET /auth/health/live')])).answers.length === 1
      await waitUntil('there is room again', 5000, isServed)
      await assertWell(app, port)
    })

    it('ignores an aborted request, and does not treat it as its own fault', async (t) => {
      const app = await start(t, engine)
      const port = await portOf(app)
      const whole = write('{"username":"whole"}')
      for (let length = 1; length < whole.length; length += 7) {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        socket.write(whole.slice(0, length))
        await sleep(2)
        if (length % 2 === 0) socket.resetAndDestroy()
        else socket.end()
      }
      await assertWell(app, port)
      assert.deepEqual((await app.call('GET', '/users')).body, [])
    })

    it('continues when readers leave in the middle of a list', async (t) => {
      const app = await start(t, engine)
      const port = await portOf(app)
      for (let i = 0; i < 1500; i++) await createUser(app, { first_name: 'x'.repeat(256), last_name: 'y'.repeat(256) })
      for (let i = 0; i < 20; i++) {
        const coding = ['identity', 'gzip', 'br', 'zstd'][i % 4]
        const socket = connect(port, '127.0.0.1').on('error', () => {})
        socket.write(`GET /auth/users HTTP/1.1\r\nHost: a\r\n${key}\r\nAccept-Encoding: ${coding}\r\n\r\n`)
        await once(socket, 'data')
        socket.resetAndDestroy()
      }
      await sleep(50)
      await assertWell(app, port)
      // No snapshot was left open: there are 8 of 16 for one credential.
      const lists = Array.from({ length: 8 }, (_, i): Row => [`list ${i}`, request('GET /auth/users'), 200])
      await assertAnswers(app, lists)
    })
  })
}
