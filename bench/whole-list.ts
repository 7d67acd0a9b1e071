/** Reads the list of all users from a socket, with as little work as possible: the reader shares the server's cores. */
import { connect, type Socket } from 'node:net'
import type { Server } from './servers.ts'

type WholeList = { megabytes: number; seconds: number; firstByteMs: number }

/** @throws Error when the list is refused or cut off */
export function readWholeList(server: Server, path = '/users'): Promise<WholeList> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const buffer = Buffer.alloc(256 * 1024)
    let bytes = 0
    let firstByteMs = 0
    let head = ''
    let tail = ''
    const socket = connect({
      port: server.port,
      host: '127.0.0.1',
      onread: {
        buffer,
        callback: (length) => {
          bytes += length
          tail = (tail + buffer.toString('latin1', Math.max(0, length - 16), length)).slice(-16)
          if (firstByteMs > 0) return true
          head += buffer.toString('latin1', 0, length)
          const start = head.indexOf('\r\n\r\n')
          if (start >= 0 && head.length > start + 4) firstByteMs = performance.now() - began
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const seconds = (performance.now() - began) / 1000
      if (!head.startsWith('HTTP/1.1 200')) reject(new Error(`The list was refused: ${head.slice(0, 100)}`))
      else if (!tail.endsWith(']\r\n0\r\n\r\n')) reject(new Error(`The list was cut off: …${JSON.stringify(tail)}`))
      else resolve({ megabytes: bytes / 1e6, seconds, firstByteMs })
    })
    askForList(socket, server, path)
  })
}

/** Requests the list without reading the response. Returns a function that ends the request. */
export function stallOnWholeList(server: Server): () => void {
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  socket.on('error', () => {}) // The server is free to drop who does not read.
  socket.pause()
  askForList(socket, server)
  return () => socket.destroy()
}

function askForList(socket: Socket, server: Server, path = '/users'): void {
  const headers = { Host: `127.0.0.1:${server.port}`, Connection: 'close', ...server.headers }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${server.prefix}${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
}
