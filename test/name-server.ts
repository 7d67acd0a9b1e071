/** A name server on loopback, over UDP and TCP, that answers as a test says: honestly, wrongly, or not at all. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { freePort } from './free-port.ts'
import type { Started } from './harness.ts'

export type Reply = {
  /** The texts of TXT records; an array is one record of several strings. */
  texts?: readonly (string | readonly string[])[]
  /** Addresses of A records. */
  addresses?: readonly (readonly number[])[]
  /** The name is an alias of this one, whose records follow. */
  alias?: string
  /** The records are said to be those of this name. */
  owner?: string
  /** The question is repeated as one about this name. */
  question?: string
  /** RFC 1035 §4.1.1: 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  code?: number
  /** The datagram says that it is not all; the rest needs TCP. */
  truncated?: boolean
  /** Sent instead of a message. */
  bytes?: Buffer
}

export type Question = { name: string; type: number; transport: 'udp' | 'tcp' }

const typeOf = { a: 1, cname: 5, txt: 16 }

/** An undefined reply is silence. Listens on TCP only if `tcp` says so. */
export async function startNameServer(
  t: TestContext,
  replyTo: (question: Question) => Reply | undefined | Promise<Reply>,
  { tcp = true }: { tcp?: boolean } = {},
) {
  const questions: Question[] = []
  async function respond(message: Buffer, transport: Question['transport']): Promise<Buffer | undefined> {
    const question = { ...questionIn(message), transport }
    questions.push(question)
    const reply = await replyTo(question)
    return reply && write(message, question, reply)
  }
  const { server, port, streams } = await listen(tcp)
  t.after(() => server.close())
  server.on('message', async (message, from) => {
    const response = await respond(message, 'udp')
    if (response !== undefined) server.send(response, from.port, from.address)
  })
  const sockets = new Set<Socket>()
  streams?.on('connection', (socket) => {
    sockets.add(socket)
    // A resolver may go away at any time.
    socket.on('error', () => socket.destroy())
    let received = Buffer.alloc(0)
    socket.on('data', async (data: Buffer) => {
      received = Buffer.concat([received, data])
      // RFC 1035 §4.2.2: two bytes of length before each message.
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0)
        const message = received.subarray(2, end)
        received = received.subarray(end)
        const response = await respond(message, 'tcp')
        if (response !== undefined) socket.write(Buffer.concat([number(response.length), response]))
      }
    })
  })
  t.after(() => {
    streams?.close()
    for (const socket of sockets) socket.destroy()
  })
  return { address: `127.0.0.1:${port}`, questions }
}

/** A port that is free for both, if there is a TCP side. */
async function listen(tcp: boolean) {
  const streams = tcp ? createServer() : undefined
  for (;;) {
    const port = await freePort()
    const server = createSocket('udp4')
    server.bind(port, '127.0.0.1')
    streams?.listen(port, '127.0.0.1')
    const ready = await Promise.allSettled([once(server, 'listening'), streams && once(streams, 'listening')])
    if (ready.every(({ status }) => status === 'fulfilled')) return { server, port, streams }
    server.close()
    streams?.close()
  }
}

function questionIn(message: Buffer): { name: string; type: number } {
  const labels: string[] = []
  let at = 12
  for (; message[at]; at += (message[at] as number) + 1) {
    labels.push(message.toString('latin1', at + 1, at + 1 + (message[at] as number)))
  }
  // Resolvers write names in random case, so that they can recognize forged responses.
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1) }
}

function write(message: Buffer, { name, type, transport }: Question, reply: Reply): Buffer {
  if (reply.bytes !== undefined) return reply.bytes
  const isCut = reply.truncated === true && transport === 'udp'
  const records = isCut ? [] : recordsOf(type, reply, name)
  const flags = 0x8180 | (isCut ? 0x0200 : 0) | (reply.code ?? 0)
  const head = [message.subarray(0, 2), number(flags), number(1), number(records.length), number(0), number(0)]
  const question = message.subarray(12, 12 + encoded(name).length)
  const repeated = reply.question === undefined ? question : encoded(reply.question)
  return Buffer.concat([...head, repeated, number(type), number(1), ...records])
}

function recordsOf(type: number, { alias, owner, texts = [], addresses = [] }: Reply, name: string): Buffer[] {
  const holder = owner ?? alias ?? name
  const data =
    type === typeOf.txt ? texts.map(textData) : type === typeOf.a ? addresses.map((one) => Buffer.from(one)) : []
  return [
    ...(alias === undefined ? [] : [record(name, typeOf.cname, encoded(alias))]),
    ...data.map((one) => record(holder, type, one)),
  ]
}

/** RFC 1035 §3.3.14: strings of at most 255 bytes. */
function textData(text: string | readonly string[]): Buffer {
  const strings = typeof text === 'string' ? (text.match(/.{1,255}/g) ?? ['']) : text
  return Buffer.concat(strings.flatMap((one) => [Buffer.from([one.length]), Buffer.from(one, 'latin1')]))
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const secondsToLive = Buffer.from([0, 0, 0, 1])
  return Buffer.concat([encoded(owner), number(type), number(1), secondsToLive, number(data.length), data])
}

function encoded(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label, 'latin1'))
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.from([0])])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

/** A name server with TXT records that a test publishes; other names do not exist. */
export async function startPublisher(t: TestContext) {
  const texts = new Map<string, readonly (string | readonly string[])[]>()
  const { address, questions } = await startNameServer(t, ({ name }) => {
    const found = texts.get(name)
    return found === undefined ? { code: 3 } : { texts: found }
  })
  return {
    address,
    questions,
    env: { ROLLBOOK_DNS_SERVERS: address },
    publish(name: string, ...values: (string | readonly string[])[]): void {
      texts.set(name, values)
    },
    withdraw(name: string): void {
      texts.delete(name)
    },
  }
}

/** A name server on which everybody has published what proves the domains of this application. */
export async function startOwners(t: TestContext, app: () => Pick<Started, 'runSql'>) {
  const { address } = await startNameServer(t, async ({ name }) => {
    const rows = await app().runSql(`SELECT proof FROM organization_domains WHERE '_rollbook.' || domain = '${name}'`)
    return { texts: rows.map(({ proof }) => `rollbook-verification=${proof}`) }
  })
  return { env: { ROLLBOOK_DNS_SERVERS: address } }
}
