import type { FastifyInstance } from 'fastify'
import type { Problem } from '../../../http/response/problem.ts'
import { negotiate } from '../../../lib/accept.ts'
import { pageWords } from './faults.ts'
import type { PageTools } from './tools.ts'
import { problemPage } from './views/pages.ts'

/** Shows refusals under `app` to browsers as a page; programs get the problem document. */
export function problemsAsPages(app: FastifyInstance, { frameOfProblem, headers }: PageTools): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isProblem = String(reply.getHeader('content-type')).startsWith('application/problem+json')
    const wanted = negotiate(request.headers.accept, ['application/problem+json', 'text/html'])
    if (!isProblem || wanted !== 'text/html' || typeof payload !== 'string') return payload
    const problem = JSON.parse(payload) as Problem
    const frame = await frameOfProblem(request, problem)
    const words = pageWords(frame.t, problem, reply.getHeader('retry-after'))
    const page = problemPage(frame, { ...words, requestId: request.id })
    reply.headers(headers(page)).type('text/html; charset=utf-8')
    return page.html
  })
}
