import type { FastifyReply, FastifyRequest } from 'fastify'
import { negotiate } from '../../../lib/accept.ts'
import { type PageNeeds, pageTools } from './tools.ts'
import { problemPage } from './views/pages.ts'

/** Shows a page to a browser at an address where nothing is. Returns undefined for programs, which get a problem document. */
export function unknownPage(
  needs: PageNeeds,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | undefined {
  const { links } = needs
  // Without caching by version: an error need not be fast.
  const assets = links.path('/login/assets/any')
  const { frameOf, send } = pageTools(needs, assets)

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    // Nothing is relative to an address that does not exist.
    const up = links.path('/')
    const frame = { ...(await frameOf(request, { up })), assets, languages: [] }
    return send(reply, problemPage(frame, { ...frame.t.problems.not_found, requestId: request.id }), 404)
  }

  return (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isOfScim = request.url.startsWith(links.path('/scim/'))
    const wanted = negotiate(request.headers.accept, ['application/problem+json', 'application/json', 'text/html'])
    return isRead && !isOfScim && wanted === 'text/html' ? show(request, reply) : undefined
  }
}
