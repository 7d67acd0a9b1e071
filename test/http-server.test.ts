import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { it } from 'node:test'
import { serveHttp, surviving } from './http-server.ts'
import { startIdentityProvider } from './identity-provider.ts'
import { startLyingDirectory } from './lying-directory.ts'
import { startReceiver } from './webhooks/receiver.ts'

it('a server of a test responds with 500 to a request that its listener fails at, and continues', async (t) => {
  const { origin } = await serveHttp(t, async ({ url }, response) => {
    if (url === '/thrown') throw new Error('unexpected')
    if (url === '/later') await Promise.reject(new Error('unexpected'))
    if (url === '/half') response.write('half')
    if (url === '/half') throw new Error('unexpected')
    response.end('ok')
  })
  for (const path of ['/thrown', '/later']) {
    const reply = await fetch(origin + path)
    assert.deepEqual([reply.status, await reply.text()], [500, 'Error: unexpected'])
  }
  await assert.rejects(fetch(`${origin}/half`).then((reply) => reply.text()))
  assert.equal(await (await fetch(origin)).text(), 'ok')
})

it('an assertion that fails in a listener fails its test', async () => {
  const ends: (() => unknown)[] = []
  const t = { after: (end: () => unknown) => ends.push(end) } as never
  const { origin } = await serveHttp(t, () => assert.fail('the wrong path'))
  assert.equal((await fetch(origin)).status, 500)
  await assert.rejects(
    async () => {
      for (const end of ends.reverse()) await end()
    },
    { message: 'the wrong path' },
  )
})

it('providers, receivers and directories survive what they do not expect', async (t) => {
  const { issuer } = await startIdentityProvider(t)
  assert.equal((await fetch(`${issuer}/authorize`)).status, 400)
  assert.equal((await fetch(`${issuer}/favicon.ico`)).status, 404)
  const receiver = await startReceiver(t)
  assert.equal((await fetch(receiver.url)).status, 500)
  assert.deepEqual(receiver.received, [])
  const directory = await startLyingDirectory(t, () => undefined)
  const socket = connect(Number(new URL(directory.url).port), '127.0.0.1')
  socket.end(Buffer.from([0x30, 0x03, 0x02, 0x05, 0x00]))
  await once(socket.resume(), 'close')
  assert.equal((await fetch(`${issuer}/jwks`)).status, 200)
})

it('no other server of HTTP in the tests passes an error of its listener to the process', () => {
  const own = /^import \{[^}]*\bcreateServer\b[^}]*\} from 'node:https?'$/m
  const unsafe = globSync(['test/**/*.ts', 'src/**/*.test.ts', 'console/src/**/*.test.ts']).filter((file) => {
    const text = readFileSync(file, 'utf8')
    return own.test(text) && !text.includes(`${surviving.name}(`)
  })
  // Its listener is Rollbook inside another program, which is what its tests are about.
  assert.deepEqual(unsafe, ['test/embedded/embedding.ts'])
})
