import type { FastifyInstance } from 'fastify'
import { type Problem, problemContentType } from '../../http/response/problem.ts'
import { isForPage } from '../forward-auth/sign-in-page.ts'
import { pageWords } from '../login-pages/faults.ts'
import { insteadOfProductPage, type Message, problemPage } from '../login-pages/pages.ts'
import { type PageNeeds, pageTools } from '../login-pages/tools.ts'

/** Shows a browser user a page where programs get a problem document. The product's own responses are unchanged. */
export function refusalsAsPages(app: FastifyInstance, needs: PageNeeds): void {
  const { config, links } = needs
  // Without caching by version: an error need not be fast.
  const assets = links.path('/login/assets/any')
  const frame = { productName: config.productName, up: links.path('/'), assets }
  const { headers } = pageTools(needs, assets)

  function wordsFor({ code, status }: Problem): Message | undefined {
    if (code === 'upstream_unavailable' || code === 'upstream_timeout') {
      const title = `${config.productName} does not respond`
      return { title, detail: 'Wait a few seconds, then try again. You stay signed in.' }
    }
    // For forms; a request for a page is redirected to the sign-in page.
    if (status !== 401) return undefined
    return { title: 'You are signed out', detail: 'Nothing was sent. Sign in, then fill in the form again.' }
  }

  app.addHook('onSend', async (request, reply, payload) => {
    const isOurs = typeof payload === 'string' && reply.getHeader('content-type') === problemContentType
    if (!isOurs || !isForPage(request)) return payload
    const problem = JSON.parse(payload) as Problem
    reply.headers(headers()).type('text/html; charset=utf-8')
    const words = wordsFor(problem) ?? pageWords(problem, reply.getHeader('retry-after'))
    const page = problem.status === 401 ? problemPage : insteadOfProductPage
    return page(frame, { ...words, requestId: request.id })
  })
}
