import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'

/**
 * Returns 404 for an unknown path, and 405 with `Allow` for a known path with another method. OPTIONS gets that too:
 * `Allow` says all there is to say, and other origins are not welcome. `watch` sees each such response.
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

  // Not in a handler: a body would be read and validated first.
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
