import type { IncomingHttpHeaders, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'

/** For the server: requests to upgrade to another protocol get an HTTP/1.1 response, as RFC 9110 §7.8 allows. */
export const upgradeWebsocketsOnly: ServerOptions = {
  shouldUpgradeCallback: ({ headers }) => asksForWebsocket(headers),
}

export function asksForWebsocket({ upgrade, 'sec-websocket-key': key }: IncomingHttpHeaders): boolean {
  return upgrade?.toLowerCase() === 'websocket' && key !== undefined
}

/** Sends a close frame (RFC 6455 §5.5.1) between two frames of the other writer, and closes the connection. */
export function endWebsocket(socket: Socket, code: number): void {
  if (socket.writable) socket.write(Buffer.from([0x88, 2, code >> 8, code & 0xff]))
  socket.destroySoon()
}
