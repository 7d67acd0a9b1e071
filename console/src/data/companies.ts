/**
 * The connections of one company: users sign in through one, and its identity provider manages them through the other. They
 * belong together if they have the same name, or if the second manages users whose addresses the first is for.
 */
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import type { ProvisioningConnection, SignInConnection } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'
import { sameCompany } from '../lib/same-company.ts'
import { connectionsQuery } from './provisioning.ts'
import { signInConnectionsQuery } from './sign-in-connections.ts'

/** The users of a company share its domains, so a few of them tell. */
const sampleSize = 20

const managedDomainsQuery = (connectionId: string) =>
  queryOptions({
    queryKey: ['users', 'managed-domains', connectionId],
    async queryFn({ signal }): Promise<readonly string[]> {
      const { users } = await api.users.page({ managed_by: connectionId, limit: sampleSize }, { signal })
      const domains = users.flatMap(({ email, username }) => {
        const address = email ?? username
        return address.includes('@') ? [address.slice(address.lastIndexOf('@') + 1).toLowerCase()] : []
      })
      return [...new Set(domains)]
    },
    staleTime: 60_000,
  })

/** Undefined: not known yet, or the reader lacks a permission. */
export function useProvisioningOf(signIn: SignInConnection): readonly ProvisioningConnection[] | undefined {
  const mayRead = useCan('provisioning:read')
  const mayReadUsers = useCan('users:read')
  const { data } = useQuery({ ...connectionsQuery, enabled: mayRead })
  const domains = useQueries({
    queries: (data ?? []).map(({ connection_id }) => ({
      ...managedDomainsQuery(connection_id),
      enabled: mayReadUsers,
    })),
  })
  if (mayReadUsers && domains.some(({ isLoading }) => isLoading)) return undefined
  return data?.filter((one, n) => sameCompany(signIn, one, domains[n]?.data ?? []))
}

/** Undefined: not known yet, or the reader lacks a permission. */
export function useSignInOf(provisioning: ProvisioningConnection): readonly SignInConnection[] | undefined {
  const mayRead = useCan('connections:read')
  const mayReadUsers = useCan('users:read')
  const { data } = useQuery({ ...signInConnectionsQuery, enabled: mayRead })
  const { data: domains = [], isLoading } = useQuery({
    ...managedDomainsQuery(provisioning.connection_id),
    enabled: mayReadUsers,
  })
  return isLoading ? undefined : data?.filter((one) => sameCompany(one, provisioning, domains))
}
