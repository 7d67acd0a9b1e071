import type { FastifyRequest } from 'fastify'
import { counter, each, type Family } from '../../core/metric-family.ts'

/** `not_found`: providers look up what may not exist; `unauthorized`: without a key that is accepted; `failed`: our fault. */
type Outcome = 'succeeded' | 'not_found' | 'rejected' | 'unauthorized' | 'failed'

export type ScimCounts = {
  count(request: Pick<FastifyRequest, 'method'>, status: number): void
  families: Family[]
}

export function createScimCounts(): ScimCounts {
  const outcomes: Record<Outcome, number> = { succeeded: 0, not_found: 0, rejected: 0, unauthorized: 0, failed: 0 }
  return {
    count({ method }, status) {
      outcomes[outcomeOf(method, status)]++
    },
    families: [
      counter('rollbook_scim_requests_total', 'SCIM requests by outcome.', () => each('outcome', outcomes), [
        'outcome',
      ]),
    ],
  }
}

function outcomeOf(method: string, status: number): Outcome {
  if (status < 400) return 'succeeded'
  if (status >= 500) return 'failed'
  if (status === 401 || status === 403) return 'unauthorized'
  return status === 404 && (method === 'GET' || method === 'HEAD') ? 'not_found' : 'rejected'
}
