/** The way between a main API and Rollbook, which a test can cut. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export type Network = {
  /** `http://127.0.0.1:…`, without a path. */
  origin: string
  /** The port that is behind it. */
  target: number
  /** Ends every connection as a reset does, and lets no new one through. */
  cut(): void
  mend(): void
}

export async function startProxy(t: Pick<TestContext, 'after'>): Promise<Network> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return void client.resetAndDestroy()
    const upstream = connect(proxy.target, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        sockets.delete(from)
      })
    }
  })
  const cutAll = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    cutAll()
  })
  const proxy: Network = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: 0,
    cut() {
      isCut = true
      cutAll()
    },
    mend() {
      isCut = false
    },
  }
  return proxy
}
