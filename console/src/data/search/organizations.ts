/** The state of the pages of organizations, as their addresses have it. */
import type { Operations } from 'rollbook/client'

type Sort = NonNullable<Operations['GET /organizations']['query']['sort']>
export const organizationSorts = ['name', '-name', '-created_at', 'created_at'] as const satisfies readonly Sort[]
export type OrganizationSort = (typeof organizationSorts)[number]

/** The order of the list if the address has none. */
export const usualSort = 'name' satisfies OrganizationSort

export type OrganizationsSearch = { q?: string; sort?: OrganizationSort }

/** Reads an address. Invalid values are left out. */
export function organizationsSearch({ q, sort }: Record<string, unknown>): OrganizationsSearch {
  // The router parses `?q=1815` and `?q=true` as JSON.
  const text = ['string', 'number', 'boolean'].includes(typeof q) ? String(q).slice(0, 256) : ''
  const order = organizationSorts.find((one) => one === sort && one !== usualSort)
  return { ...(text !== '' && { q: text }), ...(order !== undefined && { sort: order }) }
}

const tabs = [
  'users',
  'groups',
  'domains',
  'sign-in',
  'provisioning',
  'keys',
  'setup-links',
  'branding',
  'audit',
] as const
export type OrganizationTab = (typeof tabs)[number]
type OrganizationSearch = { tab?: OrganizationTab }

/** The open tab of an organization. The first one that the viewer may see is the default. */
export function organizationSearch({ tab }: Record<string, unknown>): OrganizationSearch {
  const found = tabs.find((one) => one === tab)
  return found === undefined ? {} : { tab: found }
}
