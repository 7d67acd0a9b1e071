import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'

/** 404 for a path that is nowhere, 405 with `Allow` for one that is there with other methods. */
export function answerUnknownPaths(app: FastifyInstance): void {
  const methodsByPattern = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ method, url }) => {
    const methods = methodsByPattern.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    methodsByPattern.set(url, methods)
  })
  app.setNotFoundHandler((request) => {
    const path = (request.url.split('?', 1)[0] as string).split('/')
    const allowed = [...methodsByPattern].flatMap(([pattern, methods]) =>
      matches(pattern.split('/'), path) ? [...methods] : [],
    )
    if (allowed.length === 0) {
      throw new AppError('not_found', 'There is nothing at this path; the docs page lists what there is.')
    }
    const allow = [...new Set(allowed)].sort().join(', ')
    throw new AppError('method_not_allowed', `Use ${allow}.`, { headers: { allow } })
  })
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    pattern.length === path.length &&
    pattern.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]))
  )
}
