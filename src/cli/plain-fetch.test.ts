import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { plainFetch } from './plain-fetch.ts'

/** Answers with these bytes, in pieces of such a size, and then closes the connection. */
async function answering(t: TestContext, answer: () => { text: string; size: number }): Promise<string> {
  const server = createServer(async (socket) => {
    socket.on('error', () => undefined).setNoDelay()
    await once(socket, 'data')
    const { text, size } = answer()
    for (let at = 0; at < text.length; at += size) {
      socket.write(text.slice(at, at + size), 'latin1')
      await nextTurn()
    }
    socket.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const chunkedHead = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

describe('a list by plain HTTP', () => {
  it('is what was sent, whatever the sizes of chunks and pieces', async (t) => {
    let answer = { text: '', size: 1 }
    const url = await answering(t, () => answer)
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', '0', '\r', '\n', ';'), minLength: 1 }), {
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 30 }), async (parts, size) => {
        answer = { text: `${chunkedHead}${parts.map(chunk).join('')}0\r\n\r\n`, size }
        const response = await plainFetch(url)
        assert.deepEqual([response.status, await response.text()], [200, parts.join('')])
      }),
      { numRuns: 60 },
    )
  })

  it('fails when it ends before its end', async (t) => {
    let answer = { text: '', size: 1000 }
    const url = await answering(t, () => answer)
    const whole = `${chunkedHead}${chunk('abc')}0\r\n\r\n`
    for (const text of [
      ...Array.from({ length: whole.length - 5 }, (_, n) => whole.slice(0, n)),
      'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabc',
      `${chunkedHead}x\r\nabc\r\n0\r\n\r\n`,
      'SSH-2.0-OpenSSH\r\n\r\n',
    ]) {
      answer = { text, size: 1000 }
      await assert.rejects(async () => (await plainFetch(url)).text(), Error, JSON.stringify(text))
    }
    answer = { text: 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc', size: 7 }
    assert.equal(await (await plainFetch(url)).text(), 'abc')
  })

  it('ends when its reader leaves', async (t) => {
    const url = await answering(t, () => ({ text: chunkedHead, size: 1000 }))
    const leaving = new AbortController()
    const response = await plainFetch(url, { signal: leaving.signal })
    const reading = response.text()
    leaving.abort(new Error('enough'))
    await assert.rejects(reading)
  })
})
