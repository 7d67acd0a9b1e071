/** A real SMTP server on loopback, which keeps what it accepts, and refuses what a test wants it to. */
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { keepAssertions } from '../http-server.ts'
import { selfSigned } from '../proxies/certificate.ts'

// Node.js 26 crashes if a destroyed socket is asked for its TLS version, as smtp-server does when a client hangs up.
const { getProtocol } = TLSSocket.prototype
TLSSocket.prototype.getProtocol = function (this: TLSSocket) {
  return this.destroyed ? null : getProtocol.call(this)
}

export type Received = {
  from: string
  to: string[]
  source: string
  mail: ParsedMail
  isEncrypted: boolean
  /** When the server had it, by `performance.now()`. */
  at: number
  /** The connection was broken instead of a reply, or right after it: the sender cannot know that it arrived. */
  wasDropped: boolean
}

/** What the server does with a message (`source`), or at an earlier stage; undefined: it accepts. */
export type Behaviour = (stage: 'connect' | 'rcpt' | 'data', count: number, source: string) => Reply | undefined
/** A promise: it accepts when this resolves. */
export type Reply = { code: number; text: string } | 'stall' | 'drop' | Promise<void>

export type MailServer = {
  readonly url: string
  readonly received: Received[]
  /** How many messages were transferred, accepted or not. */
  readonly transfers: () => number
  /** How many credentials were sent. */
  readonly signIns: () => number
  behave(next: Behaviour): void
  stop(): Promise<void>
  /** Listens again, at the same address. */
  resume(): Promise<void>
}

type Options = {
  user?: string
  password?: string
  /** With a certificate for localhost: from the beginning, or after STARTTLS. A password is then only accepted encrypted. */
  tls?: 'implicit' | 'starttls'
}

export async function startMailServer(t: TestContext, { user, password, tls }: Options = {}): Promise<MailServer> {
  const keepAssertion = keepAssertions(t)
  const received: Received[] = []
  let behaviour: Behaviour = () => undefined
  let [transfers, signIns] = [0, 0]
  const counts = { connect: 0, rcpt: 0, data: 0 }
  const [latest, broken] = [new WeakMap<SMTPServerSession, Received>(), new WeakSet<SMTPServerSession>()]

  /** Calls back as the behaviour wants; a stalled one never. */
  function act(stage: keyof typeof counts, drop: () => void, done: (error?: Error) => void, source = ''): void {
    let reply: Reply | undefined
    try {
      reply = behaviour(stage, counts[stage]++, source)
    } catch (error) {
      keepAssertion(error)
      reply = { code: 451, text: String(error) }
    }
    if (reply === 'stall') return
    if (reply === 'drop') drop()
    else if (reply instanceof Promise) void reply.then(() => done())
    else if (reply === undefined) done()
    else done(Object.assign(new Error(reply.text), { responseCode: reply.code }))
  }

  function create(): SMTPServer {
    const server = new SMTPServer({
      authOptional: user === undefined,
      allowInsecureAuth: tls === undefined,
      hideSTARTTLS: tls === undefined,
      secure: tls === 'implicit',
      ...(tls !== undefined && selfSigned),
      disableReverseLookup: true,
      logger: false,
      onAuth(auth, _session, done) {
        signIns++
        if (auth.username === user && auth.password === password) done(null, { user: auth.username })
        else done(new Error('Invalid username or password'))
      },
      onConnect: (session, done) => act('connect', () => drop(server, session), done as (error?: Error) => void),
      onRcptTo: (_address, session, done) => act('rcpt', () => drop(server, session), done as (error?: Error) => void),
      onData(stream, session, done) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.once('end', async () => {
          transfers++
          const source = Buffer.concat(chunks).toString()
          const at = performance.now()
          const record = async (wasDropped: boolean) => {
            const mail = await simpleParser(source)
            const { mailFrom, rcptTo } = session.envelope
            const one: Received = {
              from: mailFrom === false ? '' : mailFrom.address,
              to: rcptTo.map(({ address }) => address),
              source,
              mail,
              isEncrypted: session.secure,
              at,
              wasDropped: wasDropped || broken.has(session),
            }
            received.push(one)
            latest.set(session, one)
          }
          const keepAndDrop = async () => {
            // It has the message, and the sender never learns so.
            await record(true)
            drop(server, session)
          }
          act(
            'data',
            () => void keepAndDrop().catch(done),
            (error) => {
              if (error) return done(error)
              record(false).then(() => done(), done)
            },
            source,
          )
        })
      },
    })
    server.on('error', () => {})
    return server
  }

  function breakOff(session: SMTPServerSession): void {
    broken.add(session)
    const last = latest.get(session)
    if (last !== undefined) last.wasDropped = true
  }

  let server = create()
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      server.listen(port, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port))
    })
  const port = await listen(0)
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const { session, _socket } of server.connections as Set<Connection>) {
        if (session !== undefined) breakOff(session)
        _socket?.destroy()
      }
      server.close(() => resolve())
    })
  t.after(stop)
  const credentials = user === undefined ? '' : `${user}:${password}@`
  return {
    url:
      tls === undefined
        ? `smtp://${credentials}127.0.0.1:${port}`
        : `${tls === 'implicit' ? 'smtps' : 'smtp'}://${credentials}localhost:${port}${tls === 'starttls' ? '?starttls=required' : ''}`,
    received,
    transfers: () => transfers,
    signIns: () => signIns,
    behave(next) {
      behaviour = next
      Object.assign(counts, { connect: 0, rcpt: 0, data: 0 })
    },
    stop,
    async resume() {
      server = create()
      await listen(port)
    },
  }
}

type Connection = { session?: SMTPServerSession; _socket?: { destroy(): void } }

function drop(server: SMTPServer, session: SMTPServerSession): void {
  for (const connection of server.connections as Set<Connection>) {
    if (connection.session === session) connection._socket?.destroy()
  }
}
