// Takes long for its size.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createRawServer, type Server as RawServer, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { serveHttp } from '../../../test/http-server.ts'
import { selfSigned } from '../../../test/proxies/certificate.ts'
import { assertWithin, stallMs } from '../../../test/time-limit.ts'
import type { Resolve } from '../../http/outgoing/lookup.ts'
import { createSender, type Sender } from './send.ts'

type Options = { allowed?: string[]; resolve?: Resolve; timeoutSeconds?: number; http?: boolean }

function sender(t: TestContext, options: Options = {}): Sender {
  const { allowed = ['127.0.0.0/8'], resolve, timeoutSeconds = 5, http = true } = options
  const config = { webhookAllowedNetworks: allowed, webhookAllowHttp: http, webhookTimeoutSeconds: timeoutSeconds }
  const created = createSender(config, resolve)
  t.after(() => created.close())
  return created
}

const post = (created: Sender, url: string, body = '{"a":"ä"}') =>
  created.send({ url, headers: { 'webhook-id': 'x' }, body, now: Date.now() })

async function listen(t: TestContext, server: RawServer, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  t.after(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const http = async (t: TestContext, listener: RequestListener, host = '127.0.0.1', port = 0) =>
  (await serveHttp(t, listener, { host, port })).port

/** Resolves names like a resolver, and counts the lookups. */
function resolver(...answers: string[][]) {
  let lookups = 0
  const resolve: Resolve = (_name, callback) => {
    const addresses = answers[Math.min(lookups++, answers.length - 1)] ?? []
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { resolve, lookups: () => lookups }
}

/** A server that must not be reached: it counts connections and bytes. */
async function untouched(t: TestContext, host = '127.0.0.1') {
  const seen = { connections: 0, bytes: 0 }
  const server = createRawServer((socket) => {
    seen.connections++
    socket.on('data', (chunk) => {
      seen.bytes += chunk.length
    })
    socket.on('error', () => {})
  })
  return { port: await listen(t, server, host), seen }
}

describe('sending a webhook', () => {
  it('posts the body unchanged, and reports the response', async (t) => {
    const seen: { body: string; headers: unknown; method: string | undefined }[] = []
    const port = await http(t, async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      seen.push({ body: Buffer.concat(chunks).toString(), headers: request.headers, method: request.method })
      response.writeHead(202, { 'retry-after': '7' }).end('thanks')
    })
    const response = await post(sender(t), `http://127.0.0.1:${port}/a?b=c`)
    assert.deepEqual(response, { status: 202, error: null, body: 'thanks', retryAfterMs: 7000 })
    assert.equal(seen[0]?.body, '{"a":"ä"}')
    assert.equal(seen[0]?.method, 'POST')
  })

  it('refuses internal names, before any host there is contacted', async (t) => {
    const { port, seen } = await untouched(t)
    const created = sender(t, { allowed: [] })
    for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost', 'ip6-loopback', 'a.localhost']) {
      for (const scheme of ['http', 'https']) {
        const response = await post(created, `${scheme}://${name}:${port}/`)
        assert.match(response?.error ?? '', /^(address_refused|name_not_found)$/, name)
      }
    }
    assert.equal((await post(created, `http://localhost:${port}/`))?.error, 'address_refused')
    assert.deepEqual(seen, { connections: 0, bytes: 0 })
  })

  it('refuses every form of an internal address that a resolver can return', async (t) => {
    const answers = [
      '127.0.0.1',
      '0.0.0.0',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      '::',
      '::ffff:127.0.0.1',
      'fe80::1',
      'fd00:ec2::254',
    ]
    for (const address of answers) {
      const { resolve, lookups } = resolver([address])
      const created = sender(t, { allowed: [], resolve })
      assert.equal((await post(created, 'http://rebind.example:8080/'))?.error, 'address_refused', address)
      assert.equal(lookups(), 1)
    }
  })

  it('refuses addresses in the URL itself, even if the endpoint is older than the configuration', async (t) => {
    const { port, seen } = await untouched(t)
    const created = sender(t, { allowed: [] })
    for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0']) {
      assert.equal((await post(created, `http://${host}:${port}/`))?.error, 'address_refused', host)
    }
    const secureOnly = sender(t, { http: false })
    assert.equal((await post(secureOnly, `http://127.0.0.1:${port}/`))?.error, 'url_refused')
    assert.deepEqual(seen, { connections: 0, bytes: 0 })
  })

  it('looks a name up once for a connection, so that a second answer (DNS rebinding) has no effect', async (t) => {
    const hits: string[] = []
    const port = await http(t, (_, response) => {
      hits.push('allowed')
      response.end()
    })
    const inward: RequestListener = (_, response) => {
      hits.push('inward')
      response.end()
    }
    await http(t, inward, '127.0.0.2', port)
    // The first address is allowed, all further ones are not.
    const { resolve, lookups } = resolver(['127.0.0.1'], ['127.0.0.2'])
    const created = sender(t, { allowed: ['127.0.0.1'], resolve })
    assert.equal((await post(created, `http://rebind.example:${port}/`))?.status, 200)
    assert.equal(lookups(), 1)
    created.close()
    const next = sender(t, { allowed: ['127.0.0.1'], resolve })
    assert.equal((await post(next, `http://rebind.example:${port}/`))?.error, 'address_refused')
    assert.deepEqual(hits, ['allowed'])
  })

  it('calls only allowed addresses of several', async (t) => {
    const hits: string[] = []
    const port = await http(t, (_, response) => {
      hits.push('allowed')
      response.end()
    })
    const inward: RequestListener = (_, response) => {
      hits.push('inward')
      response.end()
    }
    await http(t, inward, '127.0.0.2', port)
    const { resolve } = resolver(['127.0.0.2', '::1', '127.0.0.1'])
    const created = sender(t, { allowed: ['127.0.0.1'], resolve })
    for (let i = 0; i < 5; i++) assert.equal((await post(created, `http://mixed.example:${port}/`))?.status, 200)
    assert.ok(hits.every((hit) => hit === 'allowed'))
  })

  it('checks the connected address before a byte is sent, however it was found', async (t) => {
    // 0.0.0.0 is allowed here, and Linux connects it to 127.0.0.1, which is not.
    for (const scheme of ['http', 'https']) {
      const { port, seen } = await untouched(t)
      const { resolve } = resolver(['0.0.0.0'])
      const created = sender(t, { allowed: ['0.0.0.0'], resolve })
      assert.equal((await post(created, `${scheme}://other.example:${port}/`))?.error, 'address_refused')
      await sleep(50)
      assert.equal(seen.bytes, 0)
    }
  })

  it('follows no redirect, neither internal nor external', async (t) => {
    const { port: target, seen } = await untouched(t)
    for (const status of [301, 302, 303, 307, 308]) {
      const port = await http(t, (_, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${target}/latest/meta-data/` }).end(),
      )
      assert.equal((await post(sender(t), `http://127.0.0.1:${port}/`))?.status, status)
    }
    assert.deepEqual(seen, { connections: 0, bytes: 0 })
  })

  it('reads only the beginning of an endless response, and keeps it', async (t) => {
    let written = 0
    const closed = Promise.withResolvers<void>()
    const port = await http(t, (_, response) => {
      response.on('close', closed.resolve)
      response.writeHead(200)
      const fill = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384
        if (!response.destroyed) response.once('drain', fill)
      }
      fill()
    })
    const response = await post(sender(t), `http://127.0.0.1:${port}/`)
    assert.equal(response?.status, 200)
    assert.equal(response?.body, 'x'.repeat(1024))
    await closed.promise
    // What the system's buffers took.
    assert.ok(written < 20_000_000, `${written} bytes`)
  })

  it('waits only as long as configured, at whatever point the response stops', async (t) => {
    const silent = createRawServer(() => {})
    const drip: RequestListener = (_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 50)
      response.on('close', () => clearInterval(timer))
    }
    const headers = createRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 50)
      socket.on('close', () => clearInterval(timer)).on('error', () => {})
    })
    const created = sender(t, { timeoutSeconds: 1 })
    const timed = async (url: string) => {
      const begun = performance.now()
      const response = await post(created, url)
      assertWithin(2500, begun, url)
      return response
    }
    const silentPort = await listen(t, silent)
    assert.equal((await timed(`http://127.0.0.1:${silentPort}/`))?.error, 'timeout')
    assert.equal((await timed(`https://127.0.0.1:${silentPort}/`))?.error, 'timeout')
    assert.equal((await timed(`http://127.0.0.1:${await listen(t, headers)}/`))?.error, 'timeout')
    // The status arrived in time.
    const dripped = await timed(`http://127.0.0.1:${await http(t, drip)}/`)
    assert.equal(dripped?.status, 200)
    assert.match(dripped?.body ?? '', /^\.{5,30}$/)
  })

  it('waits no longer for a name', async (t) => {
    const created = sender(t, { timeoutSeconds: 1, resolve: () => {} })
    assert.equal((await post(created, 'http://slow.example/'))?.error, 'timeout')
  })

  it('treats what is not HTTP, or too much of it, as a failure', async (t) => {
    const answers = [
      'SSH-2.0-OpenSSH_9.2\r\n',
      '-ERR unknown command\r\n',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ]
    for (const text of answers) {
      const server = createRawServer((socket: Socket) => socket.on('error', () => {}).end(text))
      const response = await post(sender(t), `http://127.0.0.1:${await listen(t, server)}/`)
      assert.match(response?.error ?? '', /^(answer_invalid|connection_failed)$/, text.slice(0, 40))
    }
    const upgrade = createRawServer((socket) =>
      socket.on('error', () => {}).end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    )
    assert.equal((await post(sender(t), `http://127.0.0.1:${await listen(t, upgrade)}/`))?.status, 101)
  })

  it('reads a few interim responses, but not an endless number', async (t) => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
    const few = createRawServer((socket) =>
      socket.on('error', () => {}).end(`${interim.repeat(3)}HTTP/1.1 204 OK\r\n\r\n`),
    )
    assert.equal((await post(sender(t), `http://127.0.0.1:${await listen(t, few)}/`))?.status, 204)
    for (const status of ['103 Early Hints', '100 Continue']) {
      const endless = createRawServer((socket) => {
        socket.on('error', () => {})
        const fill = () => {
          if (!socket.destroyed && socket.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(100))) setImmediate(fill)
          else socket.once('drain', fill)
        }
        fill()
      })
      const begun = performance.now()
      const response = await post(sender(t), `http://127.0.0.1:${await listen(t, endless)}/`)
      assert.deepEqual([response?.status, response?.error], [null, 'answer_invalid'], status)
      assertWithin(1000, begun)
    }
  })

  it('does not accept an invalid number as a status', async (t) => {
    for (const status of ['000', '600', '999']) {
      const server = createRawServer((socket) => socket.on('error', () => {}).end(`HTTP/1.1 ${status} X\r\n\r\n`))
      const response = await post(sender(t), `http://127.0.0.1:${await listen(t, server)}/`)
      assert.deepEqual([response?.status, response?.error], [null, 'answer_invalid'], status)
    }
  })

  it('says why there was no response', async (t) => {
    const server = createRawServer()
    const port = await listen(t, server)
    server.close()
    await once(server, 'close')
    const cutting = createRawServer((socket) => socket.on('error', () => {}).destroy())
    const created = sender(t)
    assert.equal((await post(created, `http://127.0.0.1:${port}/`))?.error, 'connection_refused')
    assert.equal((await post(created, `http://127.0.0.1:${await listen(t, cutting)}/`))?.error, 'connection_failed')
    assert.equal((await post(created, 'http://does-not-exist.invalid/'))?.error, 'name_not_found')
  })

  it('verifies certificates, for names and for addresses', async (t) => {
    const seen: string[] = []
    const respond = ({ headers }: IncomingMessage, response: ServerResponse) => {
      seen.push(headers.host ?? '')
      response.end('secret')
    }
    const { port } = await serveHttp(t, respond, { secure: true })
    const environment = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    t.after(() => {
      if (environment === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = environment
    })
    for (const host of ['localhost', '127.0.0.1']) {
      assert.equal((await post(sender(t), `https://${host}:${port}/`))?.error, 'tls_failed', host)
    }
    assert.deepEqual(seen, [])

    const roots = getCACertificates('default')
    setDefaultCACertificates([...roots, selfSigned.cert])
    t.after(() => setDefaultCACertificates(roots))
    for (const host of ['localhost', '127.0.0.1']) {
      assert.deepEqual((await post(sender(t), `https://${host}:${port}/`))?.body, 'secret', host)
    }
    // From the right authority, but for another name.
    const { resolve } = resolver(['127.0.0.1'])
    assert.equal((await post(sender(t, { resolve }), `https://other.example:${port}/`))?.error, 'tls_failed')
    assert.equal(seen.length, 2)
  })

  it('reuses a connection, and opens another one if the receiver has closed it meanwhile', async (t) => {
    const ports = new Set<number | undefined>()
    let requests = 0
    const port = await http(t, (request, response) => {
      ports.add(request.socket.remotePort)
      // It looks alive until data is sent.
      if (++requests === 6) request.socket.resetAndDestroy()
      else response.end()
    })
    const created = sender(t)
    for (let i = 0; i < 5; i++) assert.equal((await post(created, `http://127.0.0.1:${port}/`))?.status, 200)
    assert.equal(ports.size, 1)
    assert.equal((await post(created, `http://127.0.0.1:${port}/`))?.status, 200)
    assert.deepEqual([requests, ports.size], [7, 2])
  })

  it('lets go of everything when it is closed', async (t) => {
    const port = await http(t, () => {})
    const created = sender(t, { timeoutSeconds: 60, resolve: () => {} })
    const open = [post(created, `http://127.0.0.1:${port}/`), post(created, 'http://slow.example/')]
    await sleep(50)
    created.close()
    assert.deepEqual(await Promise.all(open), [undefined, undefined])
    assert.equal(await post(created, `http://127.0.0.1:${port}/`), undefined)
  })

  it('closes connections that are still being opened when it is closed', async (t) => {
    const server = createRawServer((socket) => socket.on('error', () => {}))
    const port = await listen(t, server)
    const connected = once(server, 'connection')
    const created = sender(t, { timeoutSeconds: 60 })
    const response = post(created, `https://127.0.0.1:${port}/`)
    const [socket] = (await connected) as [Socket]
    socket.resume()
    await sleep(50)
    const closed = once(socket, 'close', { signal: AbortSignal.timeout(2000 + stallMs) })
    created.close()
    assert.equal(await response, undefined)
    await closed
  })
})
