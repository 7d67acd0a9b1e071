import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'

/**
 * 404 for a path that is nowhere, 405 with `Allow` for one that is there with other methods. That is also the answer to
 * OPTIONS: `Allow` tells all there is to tell, and other origins are not welcome. `watch` is shown each such answer.
 */
export function answerUnknownPaths(app: FastifyInstance, watch: (reply: FastifyReply) => void): void {
  const methodsByPattern = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ method, url }) => {
    const methods = methodsByPattern.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    methodsByPattern.set(url, methods)
  })

  function refuse({ url }: FastifyRequest): never {
    const path = (url.split('?', 1)[0] as string).split('/')
    const allowed = [...methodsByPattern].flatMap(([pattern, methods]) =>
      matches(pattern.split('/'), path) ? [...methods] : [],
    )
    if (allowed.length === 0) {
      throw new AppError('not_found', 'There is nothing at this path. The docs page lists all operations.')
    }
    const allow = [...new Set(allowed)].sort().join(', ')
    throw new AppError('method_not_allowed', `This path does not support the method. Use ${allow}.`, {
      headers: { allow },
    })
  }

  // Not in a handler: a body would be read and judged first.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    watch(reply)
    refuse(request)
  })
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]))
  )
}
