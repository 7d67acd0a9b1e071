/**
 * Requests to identity providers. An operator chooses the issuer, and the issuer's answers choose further addresses, so
 * the same guard as for webhooks decides which addresses are called; nothing is followed, and size and time are limited.
 */

import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { guardedAgents, SendFailure } from '../../../http/outgoing/agent.ts'
import { callGuard, hostOf } from '../../../http/outgoing/guard.ts'
import { type Resolve, resolver } from '../../../http/outgoing/lookup.ts'
import { ownFaults } from '../../../lib/fault-owner.ts'
import { request as httpRequest } from '../../../lib/node-http.ts'

export const timeoutMs = 5000
const largestBytes = 262_144

export type FetchOptions = {
  method?: string
  headers?: Record<string, string>
  body?: unknown
  signal?: AbortSignal | undefined
}
export type GuardedFetch = (url: string, options: FetchOptions) => Promise<Response>

/**
 * @param allowed internal networks that may be called
 * @param resolve instead of the system's name servers
 */
export function guardedFetch(
  allowed: readonly string[] | undefined,
  resolve?: Resolve,
): { fetch: GuardedFetch; close(): void } {
  const stop = new AbortController()
  const parts = {
    mayCall: callGuard(allowed),
    resolve: resolve ?? resolver({ stopped: stop.signal }),
    timeoutMs,
    stopped: stop.signal,
  }
  const agents = guardedAgents(parts, { keepAlive: false })

  async function fetch(url: string, { method = 'GET', headers = {}, body, signal }: FetchOptions): Promise<Response> {
    const target = new URL(url)
    const isSecure = target.protocol === 'https:'
    // Plain http only within this machine: http://localhost, or a tunnel that ends here.
    if (!isSecure && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(target.hostname))
      throw new SendFailure('https_required')
    // An address in place of a name is not looked up, so it is judged here.
    const host = hostOf(target)
    if (isIP(host) !== 0 && !parts.mayCall(host)) throw new SendFailure('address_refused')
    const payload = body === undefined || body === null ? undefined : Buffer.from(String(body))
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const owner = { what: 'a request to an identity provider', end: (error: Error) => void request.destroy(error) }
    const request = ownFaults(owner, () =>
      (isSecure ? httpsRequest : httpRequest)(target, {
        method,
        agent: isSecure ? agents.https : agents.http,
        maxHeaderSize: 16_384,
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          ...(payload && { 'content-length': payload.length }),
        },
      }),
    )
    const timer = setTimeout(() => request.destroy(new SendFailure('timeout')), timeoutMs)
    const abort = () => request.destroy(new SendFailure('timeout'))
    signal?.addEventListener('abort', abort)
    stop.signal.addEventListener('abort', abort)
    request.once('response', resolve).once('error', reject)
    request.once('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new SendFailure('answer_invalid'))
    })
    request.end(payload)
    try {
      const response = await promise
      const content = await readAll(response)
      const { statusCode = 0 } = response
      if (statusCode < 200 || statusCode > 599) throw new SendFailure('answer_invalid')
      const type = response.headers['content-type']
      const hasBody = ![204, 205, 304].includes(statusCode)
      return new Response(hasBody ? content : null, {
        status: statusCode,
        headers: { ...(type !== undefined && { 'content-type': type }), ...challengeOf(response) },
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      stop.signal.removeEventListener('abort', abort)
    }
  }

  return {
    fetch,
    close() {
      stop.abort()
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

function challengeOf({ headers }: IncomingMessage): Record<string, string> {
  const challenge = headers['www-authenticate']
  return challenge === undefined ? {} : { 'www-authenticate': challenge }
}

async function readAll(response: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop closes the connection.
    if (size > largestBytes) throw new SendFailure('answer_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
