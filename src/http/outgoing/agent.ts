/**
 * Connections to receivers. The address is checked where it is used: one lookup, only allowed addresses of its result, and
 * before a byte is sent, the address that was actually reached. A name that resolves differently the next time (DNS
 * rebinding) gains nothing.
 */
import { once } from 'node:events'
import type { AgentOptions } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Agent as HttpAgent } from '../../lib/node-http.ts'
import type { MayCall } from './guard.ts'
import type { Resolve } from './lookup.ts'

/** Why there was no response, in the words of the log of attempts. */
export class SendFailure extends Error {
  readonly word: string

  constructor(word: string, cause?: unknown) {
    super(word, { cause })
    this.word = word
  }
}

type AgentParts = {
  mayCall: MayCall
  resolve: Resolve
  timeoutMs: number
  /** Ends connections that are being opened. */
  stopped: AbortSignal
}

/** How long an idle connection is kept: events come in groups. */
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

export async function openPlain(parts: AgentParts, target: Target): Promise<Socket> {
  const { mayCall, resolve } = parts
  const { host = '', port } = target
  const lookup = guardedLookup(mayCall, resolve)
  const socket = connect({ host, port: Number(port), lookup, autoSelectFamily: true, noDelay: true })
  await begun(socket, 'connect', parts)
  if (mayCall(socket.remoteAddress ?? '')) return socket
  socket.destroy()
  throw new SendFailure('address_refused')
}

/** Not by `tls.connect` alone, which sends its first bytes before the address is checked. */
async function openSecure(parts: AgentParts, target: Target): Promise<Socket> {
  const { host = '', servername = host } = target
  const secured = connectTls({
    socket: await openPlain(parts, target),
    host,
    // RFC 6066 §3: no address is sent as a name.
    servername: isIP(host) === 0 ? servername : '',
    rejectUnauthorized: true, // Even if the environment says otherwise.
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
  })
  await begun(secured, 'secureConnect', parts).catch((error) => {
    throw error instanceof SendFailure ? error : new SendFailure('tls_failed', error)
  })
  return secured
}

function guardedLookup(mayCall: MayCall, resolve: Resolve): LookupFunction {
  return (name, _options, callback) =>
    resolve(name, (error, addresses) => {
      const callable = (addresses ?? []).filter(({ address }) => mayCall(address))
      if (error) callback(new SendFailure('name_not_found', error), [])
      else if (callable.length === 0) callback(new SendFailure('address_refused'), [])
      else callback(null, callable)
    })
}

/** Waits for the event. After an error or a timeout, the socket is destroyed. */
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
