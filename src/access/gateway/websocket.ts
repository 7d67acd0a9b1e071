import type { IncomingHttpHeaders, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'

/** For the server: whoever asks for another protocol than this one is answered in HTTP/1.1, as RFC 9110 §7.8 allows. */
export const upgradeWebsocketsOnly: ServerOptions = {
  shouldUpgradeCallback: ({ headers }) => asksForWebsocket(headers),
}

export function asksForWebsocket({ upgrade, 'sec-websocket-key': key }: IncomingHttpHeaders): boolean {
  return upgrade?.toLowerCase() === 'websocket' && key !== undefined
}

/** Says goodbye as RFC 6455 §5.5.1 has it, between two frames of whoever else writes, and hangs up. */
export function endWebsocket(socket: Socket, code: number): void {
  if (socket.writable) socket.write(Buffer.from([0x88, 2, code >> 8, code & 0xff]))
  socket.destroySoon()
}
