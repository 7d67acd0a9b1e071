import type { FastifyInstance, FastifyRequest } from 'fastify'
import { organizationOf } from '../../../core/actor.ts'
import { type Problem, problemContentType } from '../../../http/response/problem.ts'
import { isForPage } from '../forward-auth/service.ts'
import {
  actingIn,
  type Frame,
  insteadOfProductPage,
  lookOf,
  type Message,
  mayReadFor,
  type PageNeeds,
  pageTools,
  pageWords,
  problemPage,
  servedFrom,
} from '../login-pages/service.ts'
import { languageOf, textsIn } from '../page-texts/service.ts'

/** Shows a browser user a page where programs get a problem document. The product's own responses are unchanged. */
export function refusalsAsPages(app: FastifyInstance, needs: PageNeeds): void {
  const { branding, links } = needs
  // Without caching by version: an error need not be fast.
  const assets = links.path('/login/assets/any')
  const { headers } = pageTools(needs, assets)

  /** No language links: the address and its query belong to the product. */
  async function frameFor({ headers, actor, now }: FastifyRequest, problem: Problem): Promise<Frame> {
    const t = await textsIn(languageOf({ headers, query: {} }, needs))
    const acting = actingIn(actor.signedIn, now)
    const [of, up] = [organizationOf(actor)?.organization_id, links.path('/')]
    const brand = mayReadFor(problem) ? await branding.current(of) : branding.known(of)
    return { productName: brand.name, up, assets, t, languages: [], acting, look: lookOf(brand, servedFrom(up)) }
  }

  function wordsFor({ t: { gateway }, productName }: Frame, { code, status }: Problem): Message | undefined {
    if (code === 'upstream_unavailable' || code === 'upstream_timeout') {
      return { title: gateway.silent(productName), detail: gateway.silentDetail }
    }
    // For forms; a request for a page is redirected to the sign-in page.
    return status === 401 ? { title: gateway.signedOut, detail: gateway.signedOutDetail } : undefined
  }

  app.addHook('onSend', async (request, reply, payload) => {
    const isOurs = typeof payload === 'string' && reply.getHeader('content-type') === problemContentType
    if (!isOurs || !isForPage(request)) return payload
    const problem = JSON.parse(payload) as Problem
    const frame = await frameFor(request, problem)
    const words = wordsFor(frame, problem) ?? pageWords(frame.t, problem, reply.getHeader('retry-after'))
    const make = problem.status === 401 ? problemPage : insteadOfProductPage
    const page = make(frame, { ...words, requestId: request.id })
    reply.headers(headers(page)).type('text/html; charset=utf-8')
    return page.html
  })
}
