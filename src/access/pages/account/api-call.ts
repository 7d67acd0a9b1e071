/** Calls an operation of the API for a form of the signed-in user: the page has no rules of its own. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InputFault } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'

export type Call = { method: 'POST' | 'PATCH' | 'DELETE'; path: string; body?: object; etag?: string }

export type Refusal = { status: number; code: string; errors: readonly InputFault[]; retryAfter: string | undefined }
export type CallResult = { body: Record<string, unknown> } | { refusal: Refusal }

/** Who calls and from where. What describes the form itself, such as its type and length, is not of the call. */
const passedOn =
  /^(?:cookie|host|origin|user-agent|sec-fetch-(?:site|mode|dest)|forwarded|x-forwarded-[a-z]+|x-real-ip)$/

/**
 * Runs the operation in this process, with every check that a request from outside passes: the duties of a session,
 * recent authentication, the schema, throttling, the record of refusals. Cookies that it sets are set by `reply`.
 */
export async function callApi(
  app: FastifyInstance,
  { links }: Pick<HttpLayer, 'links'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { method, path, body, etag }: Call,
): Promise<CallResult> {
  const own = Object.entries(request.headers).filter(([name]) => passedOn.test(name))
  const response = await app.inject({
    method,
    url: links.path(path),
    remoteAddress: request.socket.remoteAddress ?? '',
    headers: {
      ...Object.fromEntries(own),
      accept: 'application/json',
      'x-request-id': request.id,
      ...(etag !== undefined && { 'if-match': etag }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  const cookies = response.headers['set-cookie']
  if (cookies !== undefined) reply.header('set-cookie', cookies)
  const content = JSON.parse(response.body) as Record<string, unknown>
  if (response.statusCode < 400) return { body: content }
  const retryAfter = response.headers['retry-after']
  return {
    refusal: {
      status: response.statusCode,
      code: String(content.code),
      errors: (content.errors ?? []) as InputFault[],
      retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
    },
  }
}
