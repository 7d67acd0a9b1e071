import type { FastifyRequest } from 'fastify'

/** Returns an id of the path as ids are stored: clients may write UUIDs in capitals (RFC 9562 §4). */
export function pathId({ params }: Pick<FastifyRequest, 'params'>, name: `${string}_id`): string {
  const id = (params as Partial<Record<string, string>>)[name]
  if (id === undefined) throw new Error(`The path has no {${name}}.`)
  return id.toLowerCase()
}
