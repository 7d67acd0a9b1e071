/**
 * Connections to directory servers. They are opened here instead of by the library, so that the guard judges the address
 * that was reached, TLS stands before the library sends a byte, and everything ends in time.
 */
import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { openPlain, SendFailure } from '../../../http/outgoing/agent.ts'
import type { MayCall } from '../../../http/outgoing/guard.ts'
import type { Resolve } from '../../../http/outgoing/lookup.ts'
import type { DirectoryServer } from '../connections/service.ts'
import { LdapFailure } from './failure.ts'
import { askForTls } from './start-tls.ts'

export type SocketParts = {
  mayCall: MayCall
  resolve: Resolve
  timeoutMs: number
  /** The certificates that are trusted in place of the system's, as PEM. */
  ca: string | undefined
  /** Ends what is being opened. */
  signal: AbortSignal
}

/** @throws LdapFailure `directory_unreachable` */
export async function openSocket(server: DirectoryServer, parts: SocketParts): Promise<Socket> {
  const { host, port, security } = server
  const { timeoutMs, mayCall, signal } = parts
  if (isIP(host) !== 0 && !mayCall(host)) throw unreachable(server, 'address_refused')
  let socket: Socket
  try {
    socket = await openPlain({ ...parts, stopped: signal }, { host, port })
  } catch (error) {
    throw unreachable(server, wordOf(error), error)
  }
  socket.setNoDelay(true)
  const end = () => socket.destroy()
  signal.addEventListener('abort', end, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', end))
  if (security === 'none') return socket
  if (security === 'start_tls') await askForTls(socket, timeoutMs)
  return secured(socket, server, parts)
}

async function secured(
  plain: Socket,
  server: DirectoryServer,
  { ca, timeoutMs, signal }: SocketParts,
): Promise<Socket> {
  const { host } = server
  const socket = connectTls({
    socket: plain,
    host,
    // RFC 6066 §3: no address is sent as a name.
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: true, // Even if the environment says otherwise.
    minVersion: 'TLSv1.2',
    ...(ca !== undefined && { ca }),
  })
  const timer = setTimeout(() => socket.destroy(new SendFailure('timeout')), timeoutMs)
  try {
    await once(socket, 'secureConnect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    plain.destroy()
    const code = (error as { code?: unknown }).code
    const why = error instanceof SendFailure ? error.word : typeof code === 'string' ? code : 'tls_failed'
    throw unreachable(server, why === 'ABORT_ERR' ? 'timeout' : why, error)
  } finally {
    clearTimeout(timer)
  }
}

function wordOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof SendFailure) return one.word
  const code = (error as { code?: unknown }).code
  return code === 'ABORT_ERR' ? 'timeout' : typeof code === 'string' ? code : 'connection_failed'
}

function unreachable({ url }: DirectoryServer, word: string, cause?: unknown): LdapFailure {
  const hint =
    word === 'address_refused' ? ' Its address is not public: add it to ROLLBOOK_IDP_ALLOWED_NETWORKS.' : tlsHint(word)
  return new LdapFailure('directory_unreachable', `${url} cannot be reached: ${word}.${hint}`, cause ?? word)
}

function tlsHint(word: string): string {
  if (/SELF_SIGNED|UNABLE_TO|CERT_UNTRUSTED/.test(word))
    return ' Put the certificate of its authority into ca_certificate.'
  if (/ALTNAME/.test(word)) return ' Its certificate is for another name.'
  return ''
}
