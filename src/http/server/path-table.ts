import type { FastifyInstance, RouteOptions } from 'fastify'

export type PathTable = {
  /** The methods of a path, sorted. Undefined for an unknown path. */
  methodsAt(url: string): readonly string[] | undefined
  /** Whether a route has exactly this path, without parameters. */
  isFixed(url: string): boolean
}

/**
 * Collects the paths of the routes that are registered from now on. As in OpenAPI, a fixed path is another one than the
 * parameter beside it: `/users/export` has none of the methods of `/users/{user_id}`.
 */
export function pathTable(app: FastifyInstance, isListed: (config: RouteOptions['config']) => boolean): PathTable {
  const methodsByPattern = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!isListed(config)) return
    const methods = methodsByPattern.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    // Fastify announces only the HEAD of the base path with a slash.
    if (methods.has('HEAD')) methods.add('GET')
    methodsByPattern.set(url, methods)
  })
  return {
    methodsAt(url) {
      const path = pathOf(url).split('/')
      const patterns = [...methodsByPattern.keys()].filter((pattern) => matches(pattern.split('/'), path))
      const [pattern] = patterns.sort((a, b) => (rank(a) < rank(b) ? 1 : -1))
      return pattern === undefined ? undefined : [...(methodsByPattern.get(pattern) ?? [])].sort()
    },
    isFixed(url) {
      const path = pathOf(url)
      return methodsByPattern.has(path) && !/[:*]/.test(path)
    },
  }
}

/** Decoded as the router does it. */
function pathOf(url: string): string {
  const path = url.split('?', 1)[0] as string
  return path.includes('%') ? decodeURI(path) : path
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  return (
    (pattern.length === path.length || (pattern.at(-1) === '*' && pattern.length < path.length)) &&
    pattern.every((part, i) => part === '*' || (part.startsWith(':') ? path[i] !== '' : part === path[i]))
  )
}

/** Sorts a fixed part after a parameter, and a parameter after a wildcard. */
function rank(pattern: string): string {
  return pattern
    .split('/')
    .map((part) => (part === '*' ? 0 : part.startsWith(':') ? 1 : 2))
    .join('')
}
