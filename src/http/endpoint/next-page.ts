import type { FastifyReply } from 'fastify'
import { encodeQuery } from '../request/query.ts'
import type { Links } from '../server/links.ts'

/**
 * Links a page of a list to the next one, unless there is none: the same query from another place, encoded again, because in a Link
 * header a URL ends at the first `>`.
 */
export function linkToNext(
  reply: FastifyReply,
  links: Links,
  path: string,
  place: { cursor: string | undefined; limit?: number; offset?: undefined },
): void {
  if (place.cursor === undefined) return
  const query = encodeQuery({ ...(reply.request.query as object), ...place })
  reply.header('link', `<${links.to(`${path}?${query}`)}>; rel="next"`)
}
