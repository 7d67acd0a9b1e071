/** Speaks SMTP (RFC 5321) with a mail server, one command at a time, and never as far as a message. */
import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { createInterface, type Interface } from 'node:readline'
import { connect as connectSecurely, type TLSSocket } from 'node:tls'
import type { SmtpAddress } from '../../lib/smtp-url.ts'

export type Reply = { code: number; text: string; lines: string[] }

export class SmtpDialogue {
  #socket: Socket
  #lines: AsyncIterator<string>
  #reader: Interface
  readonly #timeoutMs: number

  private constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket
    this.#timeoutMs = timeoutMs
    ;({ reader: this.#reader, lines: this.#lines } = linesOf(socket))
  }

  /** Connects, with TLS from the beginning if the address says so. */
  static async open({ host, port, isSecure }: SmtpAddress, timeoutMs: number): Promise<SmtpDialogue> {
    const socket = isSecure ? connectSecurely({ host, port, ...serverName(host) }) : connect({ host, port })
    try {
      await within(once(socket, isSecure ? 'secureConnect' : 'connect'), timeoutMs)
    } catch (error) {
      socket.destroy()
      throw error
    }
    return new SmtpDialogue(socket, timeoutMs)
  }

  /** Sends a command, if there is one, and returns the reply to it. */
  async say(command?: string): Promise<Reply> {
    if (command !== undefined) this.#socket.write(`${command}\r\n`)
    const lines: string[] = []
    for (;;) {
      const { value, done } = await within(this.#lines.next(), this.#timeoutMs)
      if (done) throw new Error('the mail server closed the connection')
      lines.push(value.slice(4))
      if (value[3] === '-') continue
      return { code: Number(value.slice(0, 3)), text: `${value.slice(0, 3)} ${lines.join(' ')}`, lines }
    }
  }

  /** Greets, and returns what the server offers, in capital letters. */
  async greet(): Promise<string[]> {
    const { code, text, lines } = await this.say(`EHLO ${hostname() || 'localhost'}`)
    if (code !== 250) throw new Error(`the mail server refuses EHLO: ${text}`)
    return lines.slice(1).map((line) => line.toUpperCase())
  }

  /** After the server has agreed to STARTTLS. */
  async secure(host: string, { checksCertificate }: { checksCertificate: boolean }): Promise<void> {
    this.#reader.close()
    const socket = connectSecurely({ socket: this.#socket, ...serverName(host), rejectUnauthorized: checksCertificate })
    await within(once(socket, 'secureConnect'), this.#timeoutMs)
    this.#socket = socket
    ;({ reader: this.#reader, lines: this.#lines } = linesOf(socket))
  }

  /** Undefined without TLS. */
  get certificateEnd(): Date | undefined {
    const end = (this.#socket as Partial<TLSSocket>).getPeerCertificate?.().valid_to
    return end === undefined ? undefined : new Date(end)
  }

  close(): void {
    this.#reader.close()
    this.#socket.destroy()
  }
}

function linesOf(socket: Socket): { reader: Interface; lines: AsyncIterator<string> } {
  const reader = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  // A connection that breaks ends the lines; the next command says so.
  socket.on('error', () => reader.close())
  return { reader, lines: reader[Symbol.asyncIterator]() }
}

/** RFC 6066 §3: an address is not a server name. */
function serverName(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {}
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no response within ${ms / 1000} s`)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
