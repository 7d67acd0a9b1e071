import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Systems give connections and servers without a port of their own one from 32,768 on: one from there could belong to another test
// before the server that is to have it has started.
const first = 20_000
const last = 32_767

/** Returns a port of loopback for a server that cannot choose one itself. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last + 1)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      (error) => {
        if (error.code === 'EADDRINUSE') return false
        throw error
      },
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
