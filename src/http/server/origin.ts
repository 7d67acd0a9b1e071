import type { FastifyRequest } from 'fastify'
import type { Origin } from '../../store/journal-entry.ts'

/** How much of a User-Agent is stored; longer ones say nothing more. */
const userAgentLimit = 512

/** Where a request comes from, for the audit record. */
export function originOf(request: FastifyRequest, addressOf: (request: FastifyRequest) => string): Origin {
  return { address: addressOf(request), user_agent: (request.headers['user-agent'] ?? '').slice(0, userAgentLimit) }
}
