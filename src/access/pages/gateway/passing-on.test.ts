import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminKey, anyEngine, type Started, start } from '../../../../test/harness.ts'
import { waitUntil } from '../../../../test/nodes/nodes.ts'
import { type Conduct, plain, startRawProduct } from '../../../../test/proxies/raw-product.ts'

const engine = anyEngine

type Setup = { app: Started; port: number; connections(): number }

async function startGateway(t: TestContext, conducts: Record<string, Conduct>, env = {}): Promise<Setup> {
  const { origin, connections } = await startRawProduct(t, conducts)
  const app = await start(t, engine, { env: { ROLLBOOK_UPSTREAM: origin, ROLLBOOK_RATE_LIMIT: '0', ...env } })
  return { app, port: Number(new URL(await app.listen()).port), connections }
}

const headOf = (methodAndPath: string, ...more: string[]) =>
  [`${methodAndPath} HTTP/1.1`, 'Host: a', `X-API-Key: ${adminKey}`, ...more, '', ''].join('\r\n')

/** Reads until the bytes satisfy `isEnough`, or the connection ends. */
async function read(socket: Socket, isEnough: (received: string) => boolean): Promise<string> {
  let received = ''
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const collect = (chunk: Buffer) => {
    received += chunk.toString('latin1')
    if (isEnough(received)) resolve()
  }
  const timer = setTimeout(() => reject(new Error(`No more than ${received}`)), 60_000)
  socket.on('data', collect).once('close', resolve)
  await promise.finally(() => clearTimeout(timer))
  socket.off('data', collect)
  return received
}

const hasHead = (received: string) => received.includes('\r\n\r\n')

/** The status line and header lines as they arrived, the names in lower case, without those of this connection. */
function linesOf(head: string): string[] {
  const [status = '', ...lines] = (head.split('\r\n\r\n', 1)[0] as string).split('\r\n')
  const named = lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()))
  return [
    status,
    ...named.filter((line) => !/^(?:connection|keep-alive|transfer-encoding|x-request-id):/.test(line)).sort(),
  ]
}

const date = 'Date: Sun, 06 Nov 1994 08:49:37 GMT'

const heads: [what: string, request: string, head: readonly string[], body?: string][] = [
  [
    'an event stream',
    'GET',
    [
      'HTTP/1.1 200 OK',
      'Content-Type: text/event-stream; charset=utf-8',
      'Cache-Control: no-cache, no-transform',
      'X-Accel-Buffering: no',
      'Set-Cookie: a=1; Path=/',
      'Set-Cookie: b=2; HttpOnly',
      'Vary: Accept',
      'Vary: Cookie',
      'Transfer-Encoding: chunked',
    ],
  ],
  [
    'a download',
    'GET',
    [
      'HTTP/1.1 200 OK',
      'Content-Type: application/pdf',
      'Content-Length: 1000000',
      'Content-Disposition: attachment; filename="gr\xfc\xdfe.pdf"',
      'ETag: W/"1"',
      'Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT',
      'Accept-Ranges: bytes',
    ],
  ],
  ['a body without a type', 'GET', ['HTTP/1.1 200 OK', 'Content-Length: 4'], 'done'],
  ['a compressed body', 'GET', ['HTTP/1.1 200 OK', 'Content-Encoding: gzip', 'Content-Length: 4'], 'done'],
  ['a body without a length', 'GET', ['HTTP/1.1 200 OK', 'Content-Type: text/plain', 'Connection: close'], 'done'],
  [
    'a HEAD with a length',
    'HEAD',
    ['HTTP/1.1 200 OK', 'Content-Type: text/html', 'Content-Length: 12345', 'ETag: "a"'],
  ],
  [
    'a HEAD without a length',
    'HEAD',
    ['HTTP/1.1 200 OK', 'Content-Type: text/html', 'Set-Cookie: a=1', 'Set-Cookie: b=2'],
  ],
  ['304', 'GET', ['HTTP/1.1 304 Not Modified', 'ETag: "a"', 'Vary: Accept', 'Cache-Control: max-age=60', 'Expires: 0']],
  ['304 with a length', 'GET', ['HTTP/1.1 304 Not Modified', 'ETag: "a"', 'Content-Length: 5']],
  ['304 to a HEAD', 'HEAD', ['HTTP/1.1 304 Not Modified', 'ETag: "a"']],
  [
    '206',
    'GET',
    ['HTTP/1.1 206 Partial Content', 'Content-Type: video/mp4', 'Content-Range: bytes 0-3/9', 'Content-Length: 4'],
    'done',
  ],
  ['416', 'GET', ['HTTP/1.1 416 Range Not Satisfiable', 'Content-Range: bytes */9', 'Content-Length: 0']],
  ['204', 'DELETE', ['HTTP/1.1 204 No Content', 'Set-Cookie: a=; Max-Age=0', 'Set-Cookie: b=; Max-Age=0']],
  ['an empty body', 'POST', ['HTTP/1.1 201 Created', 'Location: /orders/1', 'Content-Length: 0']],
  ['302', 'GET', ['HTTP/1.1 302 Found', 'Location: https://elsewhere.example/?a=b', 'Content-Length: 0']],
  [
    'two challenges',
    'GET',
    ['HTTP/1.1 401 Unauthorized', 'WWW-Authenticate: Basic realm="a"', 'WWW-Authenticate: Bearer', 'Content-Length: 0'],
  ],
  [
    'the policies of its pages',
    'GET',
    [
      'HTTP/1.1 200 OK',
      "Content-Security-Policy: default-src 'self'",
      "Content-Security-Policy: script-src 'none'",
      'X-Content-Type-Options: nosniff',
      'Referrer-Policy: same-origin',
      'Server: orchard',
      'Age: 5',
      'Link: </a>; rel=preload',
      'Content-Length: 0',
    ],
  ],
  [
    'a problem document',
    'GET',
    [
      'HTTP/1.1 503 Service Unavailable',
      'Content-Type: application/problem+json',
      'Retry-After: 9',
      'Content-Length: 2',
    ],
    '{}',
  ],
]

describe('a response of the product', () => {
  it('arrives with its whole head, before its body, and with a request id of ours', async (t) => {
    const conducts = heads.map(([, , head, body = '']): [string, Conduct] => [
      head[0] as string,
      (socket) => {
        socket.write(Buffer.from([...head, date, 'X-Request-Id: of-the-product', '', body].join('\r\n'), 'latin1'))
        if (head.includes('Connection: close')) socket.end()
      },
    ])
    const { port } = await startGateway(t, Object.fromEntries(conducts.map(([, conduct], i) => [`/${i}`, conduct])))
    for (const [i, [what, method, head, body = '']] of heads.entries()) {
      const socket = connect(port, '127.0.0.1')
      t.after(() => socket.destroy())
      socket.write(headOf(`${method} /${i}`, ...(method === 'POST' ? ['Content-Length: 0'] : [])))
      // The product sends no more than this: a head that waits for the body would never come.
      const received = await read(socket, (text) => hasHead(text) && text.includes(body))
      assert.deepEqual(linesOf(received), linesOf([...head, date].join('\r\n')), what)
      const ids = [...received.matchAll(/^x-request-id: (\S+)/gim)].map(([, id]) => id)
      assert.ok(ids.length === 1 && ids[0] !== 'of-the-product', `${what}: ${ids}`)
      socket.destroy()
    }
  })

  it('sets none of our cookies, whatever else it sets', async (t) => {
    const { port } = await startGateway(t, {
      '/': (socket) =>
        socket.write(plain('200 OK', 'Set-Cookie: rollbook=1', 'Set-Cookie: a=1', 'Set-Cookie: =rollbook=2')),
    })
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.write(headOf('GET /'))
    const received = await read(socket, (text) => text.endsWith('done'))
    assert.deepEqual(
      linesOf(received).filter((line) => line.startsWith('set-cookie')),
      ['set-cookie: a=1'],
    )
  })
})

/** More than any buffer between the caller and the product holds. */
const bodyBytes = 8 << 20
const closing = 'Connection: close'

const early: Record<string, [conduct: Conduct, expected: RegExp]> = {
  'answers 413 and closes': [(socket) => socket.end(plain('413 Payload Too Large', closing)), /^413 done$/],
  'answers 413 and hangs up': [
    (socket) => socket.write(plain('413 Payload Too Large', closing), () => socket.destroy()),
    /^413 done$/,
  ],
  'answers 413 and resets': [
    (socket) => socket.write(plain('413 Payload Too Large'), () => socket.resetAndDestroy()),
    /^413 done$/,
  ],
  'answers 413 and reads on': [(socket) => socket.write(plain('413 Payload Too Large')), /^413 done$/],
  'answers 413 and reads no more': [(socket) => socket.pause().write(plain('413 Payload Too Large')), /^413 done$/],
  'answers 413 in pieces': [
    (socket) => {
      socket.write('HTTP/1.1 413 Payload Too Large\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ndone\r\n')
      setTimeout(() => socket.end('0\r\n\r\n'), 20)
    },
    /^413 [\s\S]*done/,
  ],
  'answers while it reads': [
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndo')
      setTimeout(() => socket.write('ne'), 100)
    },
    /^200 done$/,
  ],
  'breaks off its answer': [
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ndo')
      setTimeout(() => socket.destroy(), 20)
    },
    /^200 do$/,
  ],
  'hangs up': [(socket) => socket.destroy(), /^502 .*"upstream_unavailable"/],
  resets: [(socket) => socket.resetAndDestroy(), /^502 .*"upstream_unavailable"/],
  'is no HTTP server': [(socket) => socket.write('SSH-2.0-OpenSSH\r\n\r\n'), /^502 .*"upstream_unavailable"/],
  'sends an impossible status': [(socket) => socket.write(plain('999 Odd')), /^502 .*"upstream_unavailable"/],
  'sends two lengths': [
    (socket) => socket.write(plain('200 OK', 'Content-Length: 5')),
    /^502 .*"upstream_unavailable"/,
  ],
  'switches protocols': [
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    /^502 .*"upstream_unavailable"/,
  ],
  'sends an interim response only': [
    (socket) => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
    /^504 .*"upstream_timeout"/,
  ],
  'is slow to read': [(socket) => socket.pause(), /^504 .*"upstream_timeout"/],
}

/** Sends a body until the connection is closed or all of it is sent. */
function upload(socket: Socket, path: string, { isChunked = false, stopAfter = bodyBytes } = {}): Promise<void> {
  const piece = Buffer.alloc(1 << 16, 'a')
  const framed = isChunked ? Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]) : piece
  socket.write(headOf(`POST ${path}`, isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bodyBytes}`))
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.on('error', () => {}).once('close', resolve)
  let sent = 0
  function more(): void {
    while (sent < stopAfter && !socket.destroyed) {
      sent += piece.length
      if (!socket.write(framed)) return void socket.once('drain', more)
    }
    if (isChunked && stopAfter === bodyBytes) socket.write('0\r\n\r\n')
    resolve()
  }
  more()
  return promise
}

function isComplete(received: string): boolean {
  const [head = '', body] = received.split('\r\n\r\n', 2)
  if (body === undefined) return false
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  return length === undefined ? received.endsWith('0\r\n\r\n') : body.length >= Number(length)
}

describe('an upload', () => {
  it('gets the answer of a product that does not read it, or 502 or 504, and harms nothing else', async (t) => {
    const kinds = Object.entries(early)
    const { app, port, connections } = await startGateway(
      t,
      Object.fromEntries(kinds.map(([, [conduct]], i) => [`/${i}`, conduct])),
      // The bystander's request lasts as long as all others, which a busy machine may stop.
      { ROLLBOOK_UPSTREAM_TIMEOUT_SECONDS: '1', ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '300' },
    )
    const bystander = connect(port, '127.0.0.1')
    t.after(() => bystander.destroy())
    bystander.write(`${headOf('POST /ok', 'Content-Length: 2')}o`)
    const failures: string[] = []
    async function attempt(i: number, isChunked: boolean): Promise<void> {
      const [what, [, expected]] = kinds[i] as (typeof kinds)[0]
      const socket = connect(port, '127.0.0.1')
      void upload(socket, `/${i}`, { isChunked })
      const received = await read(socket, isComplete)
      socket.destroy()
      const [head = '', body = ''] = received.split('\r\n\r\n')
      const result = `${head.split(' ', 2)[1]} ${body}`
      if (!expected.test(result))
        failures.push(`a product that ${what} (${isChunked ? 'chunked' : 'length'}): ${result}`)
    }
    for (const isChunked of [false, true, false]) await Promise.all(kinds.map((_, i) => attempt(i, isChunked)))
    assert.deepEqual(failures, [])
    // A request that began before them all.
    bystander.write('k')
    assert.match(await read(bystander, (text) => text.includes('done')), /^HTTP\/1\.1 200 /)
    assert.deepEqual(
      app.logLines().filter((line) => /"level":"(?:error|fatal)"/.test(line)),
      [],
    )
    await waitUntil(
      'no connection to the product waits for a request that is over',
      10_000,
      async () => connections() <= 6,
    )
  })

  it('lets the caller send another request on its connection after an early answer', async (t) => {
    const { port } = await startGateway(t, {
      '/early': (socket) => socket.end(plain('413 Payload Too Large', closing)),
    })
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    const uploaded = upload(socket, '/early')
    assert.match(await read(socket, isComplete), /^HTTP\/1\.1 413 /)
    await uploaded
    socket.write(headOf('GET /ok'))
    assert.match(await read(socket, isComplete), /^HTTP\/1\.1 200 /)
  })

  it('ends after the time that a request may take, without a second answer, if its caller does not stop sending', async (t) => {
    const { app, port } = await startGateway(
      t,
      { '/early': (socket) => socket.end(plain('413 Payload Too Large', closing)) },
      { ROLLBOOK_REQUEST_TIMEOUT_SECONDS: '1', ROLLBOOK_HEADERS_TIMEOUT_SECONDS: '1' },
    )
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    void upload(socket, '/early', { stopAfter: 1 << 20 })
    const received = await read(socket, () => false)
    assert.match(received, /^HTTP\/1\.1 413 [\s\S]*done$/)
    assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1)
    assert.equal((await app.call('GET', '/health/live')).status, 200)
  })

  it('gets 502 if the product closes a kept connection as it begins; a GET is sent again', async (t) => {
    const { app, port } = await startGateway(t, {
      // Answers, and closes at the first byte of the next request.
      '/last': (socket) => {
        socket.removeAllListeners('data')
        socket.write(plain('200 OK'))
        socket.on('data', () => socket.destroy())
      },
    })
    const answerTo = async (method: string, path: string) => {
      const socket = connect(port, '127.0.0.1')
      const more = method === 'GET' ? [] : ['Content-Length: 2']
      socket.write(`${headOf(`${method} ${path}`, ...more)}${method === 'GET' ? '' : 'ok'}`)
      const received = await read(socket, isComplete)
      socket.destroy()
      return received
    }
    for (const [method, expected] of [
      ['POST', /^HTTP\/1\.1 502 [\s\S]*"code":"upstream_unavailable"/],
      ['GET', /^HTTP\/1\.1 200 /],
    ] as const) {
      assert.match(await answerTo('GET', '/last'), /^HTTP\/1\.1 200 /)
      assert.match(await answerTo(method, '/ok'), expected)
    }
    assert.match(app.logLines().join('\n'), /"level":"warn".*"path":"\/ok".*"code":"upstream_unavailable"/)
  })

  it('is broken off at the product when its caller leaves, and so is a request that waits for an answer', async (t) => {
    const { app, port, connections } = await startGateway(t, { '/slow': () => {} })
    for (const isUpload of [true, false]) {
      const sockets = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'))
      for (const socket of sockets) {
        socket.on('error', () => {})
        if (isUpload) void upload(socket, '/slow', { stopAfter: 1 << 18 })
        else socket.write(headOf('GET /slow'))
      }
      await waitUntil('the product has them all', 10_000, async () => connections() === 10)
      for (const socket of sockets) socket.resetAndDestroy()
      await waitUntil('they are over at the product', 10_000, async () => connections() === 0)
    }
    await sleep(10)
    assert.deepEqual(
      app.logLines().filter((line) => /"level":"(?:warn|error|fatal)"/.test(line)),
      [],
    )
  })
})
