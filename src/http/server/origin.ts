import type { FastifyRequest } from 'fastify'
import type { Origin } from '../../store/journal-entry.ts'

/** What is kept of a User-Agent: longer ones say nothing more. */
export const userAgentLimit = 512

/** From where a request comes, for the record. */
export function originOf(request: FastifyRequest, addressOf: (request: FastifyRequest) => string): Origin {
  return { address: addressOf(request), user_agent: (request.headers['user-agent'] ?? '').slice(0, userAgentLimit) }
}
