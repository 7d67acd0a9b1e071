import assert from 'node:assert/strict'
import { isIPv6 } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { serveHttp } from '../../../../test/http-server.ts'
import type { Resolve } from '../../../http/outgoing/lookup.ts'
import { guardedFetch } from './guarded-fetch.ts'

/** A server on loopback that must not be reached. */
async function inward(t: TestContext) {
  const { server, port } = await serveHttp(t, (_, response) => response.end('{}'))
  const seen = { connections: 0 }
  server.on('connection', () => seen.connections++)
  return { port, seen }
}

/** Resolves a name to the next of these lists with each lookup, and to the last one from then on. */
function lookups(...lists: string[][]) {
  const state = { asked: 0 }
  const resolve: Resolve = (_name, response) => {
    const list = lists[Math.min(state.asked++, lists.length - 1)] ?? []
    response(
      null,
      list.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
    )
  }
  return { resolve, state }
}

function fetcher(t: TestContext, allowed: string[], resolve?: Resolve) {
  const { fetch, close } = guardedFetch(allowed, resolve)
  t.after(close)
  return (url: string) =>
    fetch(url, {}).then(
      ({ status }) => String(status),
      (error) => String(error.word ?? error),
    )
}

describe('a request to an identity provider', () => {
  it('is not sent to a name that resolves to an internal address, in any form', async (t) => {
    const { port, seen } = await inward(t)
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1']) {
      const { resolve, state } = lookups([address])
      assert.equal(await fetcher(t, [], resolve)(`https://idp.example:${port}/`), 'address_refused', address)
      assert.equal(state.asked, 1)
    }
    assert.equal(seen.connections, 0)
  })

  it('is sent to the address that was checked: the name is looked up once (DNS rebinding)', async (t) => {
    const { port, seen } = await inward(t)
    // 127.0.0.2 may be called and refuses the connection; the second answer would be reached.
    const { resolve, state } = lookups(['127.0.0.2'], ['127.0.0.1'])
    assert.match(await fetcher(t, ['127.0.0.2'], resolve)(`http://localhost:${port}/`), /ECONNREFUSED/)
    assert.deepEqual([state.asked, seen.connections], [1, 0])
    // Of several addresses only the allowed ones are tried.
    const both = lookups(['127.0.0.2', '127.0.0.1'])
    assert.match(await fetcher(t, ['127.0.0.2'], both.resolve)(`http://localhost:${port}/`), /ECONNREFUSED/)
    assert.equal(seen.connections, 0)
  })

  it('is not sent to an internal address in the URL, however the number is written', async (t) => {
    const { port, seen } = await inward(t)
    const call = fetcher(t, [])
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0177.0.0.1',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0',
    ]) {
      for (const scheme of ['https', 'http']) {
        assert.match(await call(`${scheme}://${host}:${port}/`), /^(address_refused|https_required)$/, host)
      }
    }
    assert.equal(seen.connections, 0)
  })

  it('follows no redirect', async (t) => {
    const { port, seen } = await inward(t)
    const location = `http://127.0.0.1:${port}/`
    const { origin } = await serveHttp(t, (_, response) => response.writeHead(307, { location }).end())
    const call = fetcher(t, ['127.0.0.1'])
    assert.equal(await call(`${origin}/`), '307')
    assert.equal(seen.connections, 0)
    assert.equal(await call(location), '200')
  })
})
