/** A directory server that does what a test tells it to: raw bytes on a TCP connection. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import { BerReader, BerWriter } from 'ldapts'
import { keepAssertions } from './http-server.ts'
import { selfSigned } from './proxies/certificate.ts'

export type Asked =
  | { kind: 'bind'; id: number; name: string; mechanism: number; password: string }
  | { kind: 'search'; id: number; base: string; bytes: Buffer }
  | { kind: 'extended'; id: number }
  | { kind: 'other'; id: number }

type Lying = {
  readonly url: string
  readonly messages: Asked[]
  /** Connections that were opened so far. */
  connections(): number
}

/** Returns what to send, or nothing: then the server is silent. */
export type Lie = (message: Asked, socket: Socket) => Buffer | Buffer[] | undefined

export async function startLyingDirectory(t: TestContext, lie: Lie): Promise<Lying> {
  const messages: Asked[] = []
  const sockets = new Set<Socket>()
  const keepAssertion = keepAssertions(t)
  let opened = 0
  const serve = (socket: Socket) => {
    let received = Buffer.alloc(0)
    const readChunk = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (
        let length = lengthOf(received);
        length !== undefined && received.length >= length;
        length = lengthOf(received)
      ) {
        const message = read(received.subarray(0, length))
        received = received.subarray(length)
        messages.push(message)
        const reply = lie(message, socket)
        if (reply !== undefined) socket.write(Array.isArray(reply) ? Buffer.concat(reply) : reply)
        if (message.kind === 'extended' && reply !== undefined) {
          socket.off('data', receive)
          const secured = new TLSSocket(socket, { isServer: true, ...selfSigned })
          secured.on('error', () => socket.destroy())
          return serve(secured)
        }
      }
    }
    const receive = (chunk: Buffer) => {
      try {
        readChunk(chunk)
      } catch (error) {
        // An uncaught error would end the process of this file and its neighbours.
        keepAssertion(error)
        socket.destroy()
      }
    }
    socket.on('data', receive).on('error', () => socket.destroy())
  }
  const server = createServer((socket) => {
    opened++
    sockets.add(socket)
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`, messages, connections: () => opened }
}

function lengthOf(bytes: Buffer): number | undefined {
  const first = bytes[1]
  if (first === undefined) return undefined
  if (first < 0x80) return 2 + first
  const count = first & 0x7f
  return bytes.length < 2 + count ? undefined : 2 + count + bytes.readUIntBE(2, count)
}

function read(bytes: Buffer): Asked {
  const reader = new BerReader(bytes)
  reader.readSequence()
  const id = reader.readInt() ?? 0
  const operation = reader.readSequence()
  if (operation === 0x60) {
    reader.readInt()
    const name = reader.readString() ?? ''
    const mechanism = reader.peek() ?? 0
    return { kind: 'bind', id, name, mechanism, password: mechanism === 0x80 ? (reader.readString(0x80) ?? '') : '' }
  }
  if (operation === 0x63) return { kind: 'search', id, base: reader.readString() ?? '', bytes }
  return operation === 0x77 ? { kind: 'extended', id } : { kind: 'other', id }
}

const operations = { bind: 0x61, search: 0x65, extended: 0x78 }

/** The end of an operation, with a result code. */
export function result(id: number, operation: keyof typeof operations, code = 0, text = ''): Buffer {
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(id)
  writer.startSequence(operations[operation])
  writer.writeEnumeration(code)
  writer.writeString('')
  writer.writeString(text)
  writer.endSequence()
  writer.endSequence()
  return writer.buffer
}

export function entry(id: number, dn: string, attributes: Record<string, (string | Buffer)[]>): Buffer {
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(id)
  writer.startSequence(0x64)
  writer.writeString(dn)
  writer.startSequence()
  for (const [name, values] of Object.entries(attributes)) {
    writer.startSequence()
    writer.writeString(name)
    writer.startSequence(0x31)
    for (const value of values) writer.writeBuffer(Buffer.from(value as string), 0x04)
    writer.endSequence()
    writer.endSequence()
  }
  writer.endSequence()
  writer.endSequence()
  writer.endSequence()
  return writer.buffer
}
