/**
 * A network between a node and PostgreSQL that fails when it is told to. It knows where a message begins and ends
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html), so that a test can cut at an exact moment.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** One message: the letter of its kind (empty for the first of a connection), and its bytes as they were sent. */
export type Message = { kind: string; bytes: Buffer; text: string }

export type Link = {
  /** As in pg_stat_activity. */
  name: string
  /** Ends the connection on both sides, as a reset does. */
  cut(): void
}

export type Network = {
  port: number
  /** The same database, reached through here. */
  through(url: string): string
  /** Asked for each message to the server: false drops it, a promise makes it and all behind it wait. */
  toServer: (message: Message, link: Link) => boolean | Promise<boolean>
  /** Asked for each message to the client, in the same way. */
  toClient: (message: Message, link: Link) => boolean | Promise<boolean>
  /** What a network that swallows everything does; connections stay open. */
  silent: boolean
  /** New connections are refused. */
  closed: boolean
  links(): Link[]
  cutAll(): void
}

const pass = () => true

export async function startNetwork(t: TestContext, targetPort: number): Promise<Network> {
  const links = new Map<Link, () => void>()
  // A side that receives an end decides itself whether it ends as well.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (network.closed) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    const cut = () => {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
    const link: Link = { name: '', cut }
    links.set(link, cut)
    const relay = (
      from: Socket,
      to: Socket,
      shouldPass: (message: Message) => boolean | Promise<boolean>,
      hasKind: boolean,
    ) => {
      const readMessages = messageReader(hasKind)
      let before: Promise<unknown> | undefined
      const hand = (message: Message) => {
        const response = network.silent ? false : shouldPass(message)
        if (typeof response === 'boolean') return void (response && !to.destroyed && to.write(message.bytes))
        return response.then((passes) => passes && !to.destroyed && to.write(message.bytes))
      }
      from.on('data', (data: Buffer) => {
        for (const message of readMessages(data)) {
          const step = before === undefined ? hand(message) : before.then(() => hand(message))
          if (step === undefined) continue
          before = step
          step.then(() => {
            if (before === step) before = undefined
          })
        }
      })
      from.on('end', () => {
        if (!network.silent) to.end()
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        if (!network.silent) to.destroy()
        links.delete(link)
      })
    }
    const name = (message: Message) => {
      if (message.kind === '') link.name = /application_name\0([^\0]*)/.exec(message.text)?.[1] ?? ''
      return network.toServer(message, link)
    }
    relay(client, upstream, name, false)
    relay(upstream, client, (message) => network.toClient(message, link), true)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const network: Network = {
    port,
    through(url) {
      const other = new URL(url)
      other.port = String(port)
      return other.href
    },
    toServer: pass,
    toClient: pass,
    silent: false,
    closed: false,
    links: () => [...links.keys()],
    cutAll() {
      for (const cut of links.values()) cut()
    },
  }
  t.after(() => {
    server.close()
    network.cutAll()
  })
  return network
}

/** Cuts a stream into messages. The client's first one has no kind in front of its length. */
function messageReader(hasKind: boolean): (data: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0)
  let kindBytes = hasKind ? 1 : 0
  return (data) => {
    rest = Buffer.concat([rest, data])
    const messages: Message[] = []
    while (rest.length >= kindBytes + 4) {
      const length = kindBytes + rest.readInt32BE(kindBytes)
      if (rest.length < length) break
      const bytes = rest.subarray(0, length)
      messages.push({
        kind: bytes.toString('latin1', 0, kindBytes),
        bytes,
        text: bytes.toString('latin1', kindBytes + 4),
      })
      rest = rest.subarray(length)
      kindBytes = 1
    }
    return messages
  }
}
