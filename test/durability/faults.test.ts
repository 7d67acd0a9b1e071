import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminKey, engines } from '../harness.ts'
import { waitUntil } from '../nodes/nodes.ts'
import { plain, startRawProduct } from '../proxies/raw-product.ts'
import { makePlace, type Service, startService } from './process.ts'
import { places, sentPlaces } from './throwing.ts'

const preload = `import { throwWhereAsked } from ${JSON.stringify(new URL('throwing.ts', import.meta.url).href)}; throwWhereAsked()`
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(preload)}`

const requestOf = (methodAndPath: string, ...more: string[]) =>
  [`${methodAndPath} HTTP/1.1`, 'Host: a', `X-API-Key: ${adminKey}`, ...more, '', ''].join('\r\n')

const handshake = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
]

function open({ url }: Service): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
}

const faults = ({ log }: Service) =>
  log()
    .split('\n')
    .filter((line) => line.includes('an error of one connection was not caught'))

for (const engine of engines) {
  describe(`an error outside of any promise on ${engine.name}`, () => {
    it('ends the connection that it belongs to, is logged, and harms no other', async (t) => {
      const product = await startRawProduct(t, {
        '/live': () => {},
      })
      const { directory, env } = await makePlace(t, engine)
      const service = await startService(t, {
        directory,
        env: {
          ...env,
          NODE_OPTIONS,
          ROLLBOOK_UPSTREAM: product.origin,
          ROLLBOOK_WEBHOOK_ALLOW_HTTP: 'true',
          ROLLBOOK_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        },
      })
      const bystander = open(service)
      t.after(() => bystander.destroy())
      let heard = ''
      bystander.on('data', (chunk) => {
        heard += chunk
      })
      bystander.write(requestOf('GET /auth/events', 'Accept: text/event-stream'))
      await waitUntil('the bystander listens', 10_000, async () => heard.includes('retry: 1000'))

      const body = ['Content-Type: application/json', 'Content-Length: 2']
      const attempts: [place: string, bytes: string][] = [
        ...Object.keys(places).map((place): [string, string] => [
          place,
          `${requestOf('POST /auth/token', ...body, `X-Throw: ${place}`)}{}`,
        ]),
        ...sentPlaces.map((place): [string, string] => [place, requestOf(`GET ${place}`)]),
        ['an upgrade', requestOf('GET /live', ...handshake, 'X-Throw: an upgrade')],
        ['a WebSocket', requestOf('GET /live', ...handshake, 'X-Throw: a WebSocket')],
      ]
      for (const [place, bytes] of attempts) {
        const before = faults(service).length
        const socket = open(service).resume()
        socket.write(bytes, 'latin1')
        if (/^the close of|WebSocket/.test(place)) {
          await sleep(50)
          // A frame that the caller has masked, with nothing in it.
          if (place === 'a WebSocket') socket.write('\x81\x80aaaa', 'latin1')
          else socket.destroy()
        }
        await Promise.race([once(socket, 'close'), sleep(2000, undefined, { ref: false })])
        await waitUntil(`the error in ${place} is logged`, 10_000, async () => faults(service).length > before)
        assert.match(faults(service).at(-1) ?? '', new RegExp(`"level":"error".*thrown in ${place}`))
        assert.ok(
          socket.destroyed || socket.readyState !== 'open' || sentPlaces.includes(place),
          `${place}: still open`,
        )
        socket.destroy()
        assert.equal((await service.call('GET', '/health/live')).status, 200, place)
      }

      // A receiver of webhooks: the delivery fails, and is tried again.
      const created = await service.call('POST', '/webhooks', { url: `${product.origin}/throw/response` })
      assert.equal(created.status, 201)
      const before = faults(service).length
      assert.equal((await service.call('POST', '/users', { username: 'grace' })).status, 201)
      await waitUntil('the error of the webhook is logged', 10_000, async () => faults(service).length > before)

      await waitUntil('the bystander hears of the user', 10_000, async () => heard.includes('user.created'))
      assert.doesNotMatch(service.log(), /"level":"fatal"/)

      // What belongs to no connection may have broken anything.
      process.kill(service.pid, 'SIGUSR2')
      assert.deepEqual(await service.whenEnded, { code: 70, signal: null })
      assert.match(service.log(), /"level":"fatal".*thrown in a signal/)
    })
  })
}

describe('a thousand uploads that end early', () => {
  it('leave the process as it was', async (t) => {
    const kinds = [
      (socket: Socket) => socket.end(plain('413 Payload Too Large', 'Connection: close')),
      (socket: Socket) => socket.write(plain('413 Payload Too Large'), () => socket.resetAndDestroy()),
      (socket: Socket) => socket.write(plain('413 Payload Too Large')),
      (socket: Socket) => socket.destroy(),
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ndo', () => socket.destroy()),
      (socket: Socket) => socket.pause(),
    ]
    const product = await startRawProduct(t, Object.fromEntries(kinds.map((conduct, i) => [`/${i}`, conduct])))
    const { directory } = await makePlace(t, { name: 'SQLite' })
    const env = {
      ROLLBOOK_UPSTREAM: product.origin,
      ROLLBOOK_UPSTREAM_TIMEOUT_SECONDS: '1',
      ROLLBOOK_LOG_LEVEL: 'warn',
    }
    const service = await startService(t, { directory, env })
    const openFiles = () => readdirSync(`/proc/${service.pid}/fd`).length
    const atRest = openFiles()
    const piece = Buffer.alloc(1 << 18, 'a')

    async function upload(i: number): Promise<void> {
      const socket = open(service)
      const { promise, resolve } = Promise.withResolvers<void>()
      let received = ''
      socket.once('close', resolve).on('data', (chunk) => {
        received += chunk
        if (received.includes('\r\n\r\n')) resolve()
      })
      socket.write(requestOf(`POST /${i % kinds.length}`, 'Content-Length: 1048576'))
      for (let sent = 0; sent < 4; sent++) socket.write(piece)
      // Some callers leave before the answer.
      await (i % 7 === 0 ? sleep(i % 20) : promise)
      socket.destroy()
    }
    async function uploadMany(count: number): Promise<number> {
      let next = 0
      const work = async () => {
        while (next < count) await upload(next++)
      }
      await Promise.all(Array.from({ length: 8 }, work))
      await waitUntil('all are over', 20_000, async () => openFiles() <= atRest + kinds.length)
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024
    }
    const warm = await uploadMany(300)
    const after = await uploadMany(700)
    assert.ok(after < warm + 48, `${warm.toFixed()} MB became ${after.toFixed()} MB`)
    assert.equal((await service.call('GET', '/health/ready')).status, 200)
    assert.doesNotMatch(service.log(), /"level":"(?:error|fatal)"/)
  })
})
