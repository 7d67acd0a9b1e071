import type { FastifyInstance } from 'fastify'

/**
 * A route constraint that matches nothing of ours: a path below the base path is served there or nowhere, in any spelling.
 * The router compares decoded paths, so this does too.
 */
export function keepOutOfBasePath(app: FastifyInstance, basePath: string): { isOutside: string } {
  app.addConstraintStrategy({
    name: 'isOutside',
    storage() {
      const handlers = new Map<unknown, unknown>()
      return {
        get: (value: unknown) => (handlers.get(value) ?? null) as never,
        set: (value: unknown, handler: unknown) => void handlers.set(value, handler),
      }
    },
    deriveConstraint: ({ url = '/' }) => String(isOutside(url, basePath)),
    validate() {},
  })
  return { isOutside: 'true' }
}

function isOutside(url: string, basePath: string): boolean {
  const path = decoded(url.split('?', 1)[0] as string)
  return path !== basePath && !path.startsWith(`${basePath}/`)
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path // The router refuses it.
  }
}
