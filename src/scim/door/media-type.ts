import type { FastifyRequest } from 'fastify'

const scim = 'application/scim+json'

/** Returns the media type of a response: SCIM's, unless the client accepts only plain JSON (RFC 7644 §3.1). */
export function mediaType({ headers: { accept = '' } }: FastifyRequest): string {
  const isPlain =
    /\bapplication\/json\b/i.test(accept) && !/application\/scim\+json|\*\/\*|application\/\*/i.test(accept)
  return `${isPlain ? 'application/json' : scim}; charset=utf-8`
}
