/**
 * Connections to receivers. The address is judged where it is used: one look-up, only what may be called of its answers,
 * and once more the address that was really reached, before a byte is sent. A name that answers differently the next
 * time (DNS rebinding) gains nothing.
 */
import { once } from 'node:events'
import { type AgentOptions, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { MayCall } from './guard.ts'
import type { Resolve } from './send-lookup.ts'

/** Why nothing was answered, by the word that the log of attempts has for it. */
export class SendFailure extends Error {
  readonly word: string

  constructor(word: string, cause?: unknown) {
    super(word, { cause })
    this.word = word
  }
}

export type AgentParts = {
  mayCall: MayCall
  resolve: Resolve
  timeoutMs: number
  /** Ends connections that are being made. */
  stopped: AbortSignal
}

/** So long an idle connection is kept: events come in groups. */
const idleMs = 30_000

type Target = { host?: string; port?: number | string; servername?: string }
type Connected = (error: Error | null, socket?: Socket) => void

export function guardedAgents(parts: AgentParts, { keepAlive }: { keepAlive: boolean }) {
  const options: AgentOptions = { keepAlive, timeout: idleMs, maxFreeSockets: 32 }
  const connectBy = (open: (parts: AgentParts, target: Target) => Promise<Socket>) => ({
    createConnection(target: Target, connected: Connected): void {
      open(parts, target).then((socket) => connected(null, socket), connected)
    },
  })
  return {
    http: Object.assign(new HttpAgent(options), connectBy(openPlain)),
    https: Object.assign(new HttpsAgent(options), connectBy(openSecure)),
  }
}

async function openPlain(parts: AgentParts, target: Target): Promise<Socket> {
  const { mayCall, resolve } = parts
  const { host = '', port } = target
  const lookup = guardedLookup(mayCall, resolve)
  const socket = connect({ host, port: Number(port), lookup, autoSelectFamily: true, noDelay: true })
  await begun(socket, 'connect', parts)
  if (mayCall(socket.remoteAddress ?? '')) return socket
  socket.destroy()
  throw new SendFailure('address_refused')
}

/** Not by `tls.connect` alone, whose first bytes are on their way before anybody has seen the address. */
async function openSecure(parts: AgentParts, target: Target): Promise<Socket> {
  const { host = '', servername = host } = target
  const secured = connectTls({
    socket: await openPlain(parts, target),
    host,
    // RFC 6066 §3: no address is sent as a name.
    servername: isIP(host) === 0 ? servername : '',
    rejectUnauthorized: true, // Also where the environment says otherwise.
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
  })
  await begun(secured, 'secureConnect', parts).catch((error) => {
    throw error instanceof SendFailure ? error : new SendFailure('tls_failed', error)
  })
  return secured
}

function guardedLookup(mayCall: MayCall, resolve: Resolve): LookupFunction {
  return (name, _options, answer) =>
    resolve(name, (error, addresses) => {
      const callable = (addresses ?? []).filter(({ address }) => mayCall(address))
      if (error) answer(new SendFailure('name_not_found', error), [])
      else if (callable.length === 0) answer(new SendFailure('address_refused'), [])
      else answer(null, callable)
    })
}

/** Waits for the event; on an error, or when it takes too long, the socket is gone. */
async function begun(socket: Socket, event: string, { timeoutMs, stopped }: AgentParts): Promise<void> {
  const timer = setTimeout(() => socket.destroy(new SendFailure('timeout')), timeoutMs)
  try {
    await once(socket, event, { signal: stopped })
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}
