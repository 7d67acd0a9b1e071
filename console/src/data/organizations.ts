/** The queries about organizations. Nothing names them to viewers who may not read them, or before the first one exists. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { Me } from 'rollbook/client'
import { api } from '../api/client.ts'
import { canEverywhere, ownOrganizationOf, useMe } from '../api/me.ts'
import type { OrganizationsSearch } from './search/organizations.ts'

export const organizationsOfAPage = 50

/** Queries made stale by a change of an organization, or of what belongs to one. */
export const changedByOrganizations = [['organizations'], ['users'], ['groups'], ['audit'], ['me']] as const

export const organizationsQuery = (search: OrganizationsSearch) =>
  infiniteQueryOptions({
    queryKey: ['organizations', 'list', search],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      api.organizations.page(
        { ...search, limit: organizationsOfAPage, ...(pageParam !== '' && { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })

export const organizationQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['organizations', 'one', organizationId],
    queryFn: ({ signal }) => api.organizations.get(organizationId, { signal }),
    staleTime: 60_000,
  })

/** The first organizations whose names match; those of the list if `q` is empty. */
export const foundOrganizationsQuery = (q: string) =>
  queryOptions({
    queryKey: ['organizations', 'found', q],
    queryFn: async ({ signal }) =>
      (await api.organizations.page({ ...(q !== '' && { q }), limit: 8 }, { signal })).organizations,
    staleTime: 60_000,
  })

/** The names of all organizations, by their ids. */
export async function readOrganizationNames(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for await (const { organization_id, name } of api.organizations.list({ limit: 1000 }, { signal }))
    names.set(organization_id, name)
  return names
}

export const usersOfAPage = 50

/** The users of an organization, found by `q`. */
export const usersOfOrganizationQuery = (organization: string, q: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['users', 'of-organization', organization, q],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      api.users.page(
        {
          organization,
          sort: 'username',
          limit: usersOfAPage,
          ...(q !== undefined && { q }),
          ...(pageParam !== '' && { cursor: pageParam }),
        },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })

/** The newest first. */
export const setupLinksQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['organizations', 'setup-links', organizationId],
    queryFn: ({ signal }) => api.organizations.setupLinks(organizationId, { signal }),
  })

const inUseQuery = queryOptions({
  queryKey: ['organizations', 'in-use'],
  queryFn: async ({ signal }) => (await api.organizations.page({ limit: 1 }, { signal })).organizations.length > 0,
  staleTime: 300_000,
  refetchOnWindowFocus: false,
})

/** Whether the viewer may read all organizations, and there is one. `me` is undefined until it is read. */
export function useInUse(me: Me | undefined): boolean {
  const mayRead = me !== undefined && canEverywhere(me, 'organizations:read')
  const { data = false } = useQuery({ ...inUseQuery, enabled: mayRead })
  return mayRead && data
}

/** As `useInUse`, of a page: whether it names the organization of what it shows, or of what the viewer does with this permission. */
export function useOrganizationsInUse(permission?: string): boolean {
  const me = useMe()
  const isInUse = useInUse(me)
  return isInUse && (permission === undefined || canEverywhere(me, permission))
}

/** Returns whether a page names something: what is about organizations only where there are some, or the viewer administers one. */
export function useIsNamed(): (word: string) => boolean {
  const isInUse = useOrganizationsInUse()
  const isOfOne = ownOrganizationOf(useMe()) !== undefined
  return (word) => isInUse || isOfOne || !/^organizations?$/.test(word)
}

/** The name of an organization; undefined until it is known, and if it is not for viewers who see only their own. */
export function useOrganizationName(organizationId: string | undefined): string | undefined {
  const own = useMe()
  const isShown = useOrganizationsInUse() && organizationId !== undefined && organizationId !== 'none'
  const { data } = useQuery({ ...organizationQuery(organizationId ?? ''), enabled: isShown, staleTime: 300_000 })
  if (organizationId !== undefined && organizationId === own.org_id) return own.org_name
  return isShown ? data?.name : undefined
}
