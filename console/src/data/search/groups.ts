/** The state of the groups page, as its address has it. */
import type { GroupSort } from '../groups.ts'

export const groupSorts = [
  'name',
  '-name',
  'member_count',
  '-member_count',
  'created_at',
  '-created_at',
] as const satisfies readonly GroupSort[]

/** The order of the list if the address has none. */
export const usualSort = 'name' satisfies GroupSort

/** `organization`: its ID; `none`: groups of none. */
export type GroupsSearch = { q?: string; organization?: string; sort?: GroupSort }

/** Reads an address. Invalid values are left out. */
export function groupsSearch({ q, organization, sort }: Record<string, unknown>): GroupsSearch {
  // The router parses `?q=1815` and `?q=true` as JSON.
  const text = ['string', 'number', 'boolean'].includes(typeof q) ? String(q).slice(0, 256) : ''
  const order = groupSorts.find((one) => one === sort && one !== usualSort)
  return {
    ...(text !== '' && { q: text }),
    ...(typeof organization === 'string' && organization !== '' && { organization }),
    ...(order !== undefined && { sort: order }),
  }
}
