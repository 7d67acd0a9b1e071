/** A way to Rollbook that loses, delays and replaces answers, as networks and proxies do. */
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { serveHttp } from '../http-server.ts'

type Passing = {
  /** From 1, in the order in which the requests came. */
  number: number
  method: string
  path: string
  headers: IncomingMessage['headers']
}

/** What becomes of an answer. */
type Fate =
  | 'pass'
  /** Rollbook executes the request, and the response is lost. */
  | 'lose'
  /** Rollbook is asked, and the answer is kept back. */
  | 'hold'
  /** The proxy responds itself, without asking Rollbook. */
  | { status: number; headers?: Record<string, string>; body?: string }
  /** The connection is cut when so many bytes of the body have passed. */
  | { cutAfter: number }
  /** The same, and the connection stays. */
  | { holdAfter: number }

export type Way = {
  url: string
  /** Every request so far. */
  passed: Passing[]
  /** The numbers of the requests whose answers did not come to their end. */
  left: Set<number>
  /** Decides; it may also do something first. */
  fate: (passing: Passing) => Fate | Promise<Fate>
}

export async function startWay(t: Pick<TestContext, 'after'>, target: string): Promise<Way> {
  const passed: Passing[] = []
  const way: Way = { url: '', passed, left: new Set(), fate: () => 'pass' }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming
    const passing = { number: passed.length + 1, method, path, headers }
    passed.push(passing)
    const body = Buffer.concat(await incoming.toArray())
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) way.left.add(passing.number)
    })
    const fate = await way.fate(passing)
    if (typeof fate === 'object' && 'status' in fate) {
      outgoing.writeHead(fate.status, fate.headers).end(fate.body ?? '')
      return
    }
    const upstream = request(new URL(path, target), { method, headers })
    upstream.end(body)
    const [response] = (await once(upstream, 'response')) as [IncomingMessage]
    if (fate === 'pass') {
      outgoing.writeHead(response.statusCode as number, response.headers)
      outgoing.on('close', () => upstream.destroy())
      response.on('error', () => outgoing.destroy())
      response.pipe(outgoing)
      return
    }
    if (typeof fate === 'object') {
      outgoing.writeHead(response.statusCode as number, response.headers)
      let rest = 'cutAfter' in fate ? fate.cutAfter : fate.holdAfter
      for await (const chunk of response as AsyncIterable<Buffer>) {
        outgoing.write(chunk.subarray(0, rest))
        rest -= chunk.length
        if (rest <= 0) break
      }
      outgoing.on('close', () => upstream.destroy())
      // What was written is to arrive before the end does.
      if ('cutAfter' in fate) setTimeout(() => outgoing.destroy(), 50)
      return
    }
    await response.toArray()
    if (fate === 'lose') outgoing.destroy()
  }

  const { origin } = await serveHttp(t, serve)
  way.url = origin + new URL(target).pathname
  return way
}
