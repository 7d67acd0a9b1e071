import type { FastifyReply, FastifyRequest } from 'fastify'
import { negotiate } from '../../../lib/accept.ts'
import { languageOf, textsIn } from '../page-texts/service.ts'
import { problemPage } from './pages.ts'
import { type PageNeeds, pageTools } from './tools.ts'

/** Shows a page to a browser at an address where nothing is. Returns undefined for programs, which get a problem document. */
export function unknownPage(
  needs: PageNeeds,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | undefined {
  const { config, links } = needs
  // Without caching by version: an error need not be fast.
  const assets = links.path('/login/assets/any')
  const { send } = pageTools(needs, assets)

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { headers, id: requestId } = request
    const t = await textsIn(languageOf({ headers, query: {} }, needs))
    const frame = { productName: config.productName, up: links.path('/'), assets, t, languages: [] }
    return send(reply, problemPage(frame, { ...t.problems.not_found, requestId }), 404)
  }

  return (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const wanted = negotiate(request.headers.accept, ['application/problem+json', 'text/html'])
    return isRead && wanted === 'text/html' ? show(request, reply) : undefined
  }
}
