/** The state of the page, as its address has it. */
import type { Operations } from 'rollbook/client'

type Query = Operations['GET /deleted-users']['query']
type DeletedSort = NonNullable<Query['sort']>
const deletedSorts = ['-deleted_at', 'deleted_at', 'username', '-username'] as const satisfies readonly DeletedSort[]
export type DeletedSearch = { q?: string; sort?: DeletedSort }

/** Reads an address. Invalid values are left out. */
export function deletedSearch({ q, sort }: Record<string, unknown>): DeletedSearch {
  // The router parses `?q=1815` as JSON.
  const text = ['string', 'number', 'boolean'].includes(typeof q) ? String(q).slice(0, 256) : ''
  const order = deletedSorts.find((one) => one === sort)
  return { ...(text !== '' && { q: text }), ...(order !== undefined && order !== '-deleted_at' && { sort: order }) }
}
