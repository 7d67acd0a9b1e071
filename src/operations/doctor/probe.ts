/** Sends raw requests and returns raw responses: `fetch` would follow redirects, decode bodies and join headers. */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { version } from '../../core/version.ts'
import { request as plainRequest } from '../../lib/node-http.ts'

export type Answer = {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** Undefined if the body is not JSON. */
  json: Record<string, unknown> | undefined
  certificate: PeerCertificate | undefined
  /** When the request was sent and when the response started, by our clock. */
  sentAt: number
  answeredAt: number
}

export type Probe = {
  url: URL
  /** Requests the API: `path` starts with `/` and is relative to the prefix. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  /** Milliseconds from the headers to the first bytes of the body; undefined if none came in time. */
  firstBytes(path: string, headers: Record<string, string>, waitMs: number): Promise<FirstBytes>
}

type FirstBytes = { status: number; headers: IncomingHttpHeaders; afterMs: number | undefined }

export function probeOf(base: string, timeoutMs: number): Probe {
  const url = new URL(base)
  const prefix = url.pathname.replace(/\/+$/, '')
  const send = url.protocol === 'https:' ? secureRequest : plainRequest

  /** A new connection for each request: one that a proxy has closed would look like a fault. */
  function open(path: string, headers: Record<string, string>): ClientRequest {
    const { hostname, port } = url
    const request = send({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: prefix + path,
      agent: false,
      // A proxy reports its own timeout; this is for silence.
      timeout: timeoutMs,
      headers: { host: url.host, 'user-agent': `rollbook-doctor/${version}`, accept: '*/*', ...headers },
    })
    request.on('timeout', () => request.destroy(new Error(`no response within ${timeoutMs / 1000} s`)))
    return request
  }

  function headOf(request: ClientRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request.once('response', resolve).once('error', reject)
      request.end()
    })
  }

  return {
    url,
    async get(path, headers = {}) {
      const sentAt = Date.now()
      const response = await headOf(open(path, headers))
      const answeredAt = Date.now()
      const { socket, statusCode: status = 0 } = response
      const certificate = (socket as Partial<TLSSocket>).getPeerCertificate?.()
      const body = await text(response)
      return { status, headers: response.headers, text: body, json: parsed(body), certificate, sentAt, answeredAt }
    },
    async firstBytes(path, headers, waitMs) {
      const request = open(path, headers)
      // A proxy that buffers responses may hold back even the headers.
      const head = await within(waitMs, headOf(request))
      try {
        if (head === undefined) return { status: 200, headers: {}, afterMs: undefined }
        const begun = performance.now()
        const came = await within(waitMs, new Promise<true>((resolve) => head.once('data', () => resolve(true))))
        const afterMs = came ? performance.now() - begun : undefined
        return { status: head.statusCode ?? 0, headers: head.headers, afterMs }
      } finally {
        request.on('error', () => {}) // We closed it ourselves.
        request.destroy()
      }
    },
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(body)
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
