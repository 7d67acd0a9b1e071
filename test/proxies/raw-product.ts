/** A product that sends the given bytes at the given moment: before a body was read, in halves, not at all. */
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** Called once the head of a request has arrived. */
export type Conduct = (socket: Socket, head: string) => void

export type RawProduct = { origin: string; connections(): number }

/** @param conducts by path; elsewhere a request is read whole and answered with 200 */
export async function startRawProduct(t: TestContext, conducts: Record<string, Conduct>): Promise<RawProduct> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let received = ''
    let isAnswered = false
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) return
      const head = received.slice(0, end)
      const conduct = conducts[head.split(' ')[1] ?? '']
      if (conduct !== undefined && !isAnswered) conduct(socket, head)
      isAnswered = true
      if (!isWhole(head, received.slice(end + 4))) return
      if (conduct === undefined) socket.write(plain('200 OK'))
      received = ''
      isAnswered = false
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as { port: number }
  return { origin: `http://127.0.0.1:${port}`, connections: () => sockets.size }
}

function isWhole(head: string, body: string): boolean {
  if (/^transfer-encoding: chunked$/im.test(head)) return body.endsWith('0\r\n\r\n')
  return body.length >= Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
}

/** A complete response of a few bytes. */
export function plain(status: string, ...headers: string[]): string {
  return [`HTTP/1.1 ${status}`, 'Content-Type: text/plain', 'Content-Length: 4', ...headers, '', 'done'].join('\r\n')
}
