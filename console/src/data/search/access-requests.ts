/** The state of the page of access requests, as its address has it. */
import type { AccessRequest } from 'rollbook/client'

export const requestStates = ['waiting', 'approved', 'declined', 'expired'] as const satisfies AccessRequest['state'][]
/** Without `state`: those that wait. */
export type RequestsSearch = { state?: AccessRequest['state'] | 'all'; q?: string }

/** Reads an address. Invalid values are left out. */
export function requestsSearch({ state, q }: Record<string, unknown>): RequestsSearch {
  const wanted = ([...requestStates, 'all'] as const).find((one) => one === state && one !== 'waiting')
  // The router parses `?q=1815` as JSON.
  const text = ['string', 'number', 'boolean'].includes(typeof q) ? String(q).slice(0, 256) : ''
  return { ...(wanted !== undefined && { state: wanted }), ...(text !== '' && { q: text }) }
}
