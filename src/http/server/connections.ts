import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { ownFaults } from '../../lib/fault-owner.ts'

type Serve = (this: Server, socket: Socket) => void
/** Node's own socket object, which runs the listeners of a socket in the context that it was made in. */
type Handle = { asyncReset?(resource: object): void }

/**
 * Makes each connection the owner of the errors of its listeners and timers. Call it before anything else listens for
 * connections.
 */
export function separateConnections(server: Server): void {
  const [serve] = server.listeners('connection') as [Serve]
  server.off('connection', serve)
  server.on('connection', (socket) => {
    // Weak: a timer or a kept connection to another server may outlive this one.
    const connection = new WeakRef(socket)
    const owner = {
      what: `a connection from ${socket.remoteAddress ?? 'this process'}`,
      end: (error: Error) => void connection.deref()?.destroy(error),
    }
    ownFaults(owner, () => {
      ;(socket as Socket & { _handle?: Handle })._handle?.asyncReset?.(socket)
      serve.call(server, socket)
    })
  })
}
