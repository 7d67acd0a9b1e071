/** Groups, keys, connections and webhooks by name: each kind is read only if the viewer may read it. */
import { useLingui } from '@lingui/react/macro'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Me } from 'rollbook/client'
import { can } from '../api/me.ts'
import { foundGroupsQuery } from '../data/groups.ts'
import { keysQuery } from '../data/keys.ts'
import { foundOrganizationsQuery, useInUse } from '../data/organizations.ts'
import { connectionsQuery } from '../data/provisioning.ts'
import { signInConnectionsQuery } from '../data/sign-in-connections.ts'
import { endpointsQuery } from '../data/webhooks.ts'
import { IconDoor, IconGroups, IconKey, IconOrganization, IconProvisioning, IconWebhook } from '../ui/icons.tsx'
import { type Entry, type Group, matching } from './entry.ts'

const pauseMs = 100
const mostOfAKind = 5
/** Read once while the palette is open, not polled. */
const atRest = { staleTime: 60_000, refetchInterval: false, retry: false } as const

export function useRecordEntries(q: string, me: Me): { groups: Group[]; isReading: boolean } {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [query] = useDebouncedValue(q, pauseMs)
  const mayRead = (permission: string) => q !== '' && can(me, permission)
  const groups = useQuery({ ...foundGroupsQuery(query), ...atRest, enabled: query !== '' && mayRead('groups:read') })
  const hasOrganizations = useInUse(me)
  const organizations = useQuery({
    ...foundOrganizationsQuery(query),
    ...atRest,
    enabled: query !== '' && hasOrganizations,
  })
  const keys = useQuery({ ...keysQuery, ...atRest, enabled: mayRead('keys:read') })
  const companies = useQuery({ ...signInConnectionsQuery, ...atRest, enabled: mayRead('connections:read') })
  const providers = useQuery({ ...connectionsQuery, ...atRest, enabled: mayRead('provisioning:read') })
  const endpoints = useQuery({ ...endpointsQuery, ...atRest, enabled: mayRead('webhooks:read') })
  if (q === '') return { groups: [], isReading: false }

  const foundGroups = (query === q ? (groups.data ?? []) : []).map(
    ({ group_id, name, description }): Entry => ({
      id: group_id,
      label: name,
      note: description || undefined,
      icon: <IconGroups />,
      run: () => void navigate({ to: '/groups/$groupId', params: { groupId: group_id } }),
    }),
  )
  const foundOrganizations = (query === q ? (organizations.data ?? []) : []).map(
    ({ organization_id, name, domains }): Entry => ({
      id: organization_id,
      label: name,
      note: domains[0]?.domain,
      icon: <IconOrganization />,
      run: () => void navigate({ to: '/organizations/$organizationId', params: { organizationId: organization_id } }),
    }),
  )
  const everyKey = (keys.data ?? []).map(
    ({ key_id, name, prefix }): Entry => ({
      id: key_id,
      label: name,
      note: prefix,
      icon: <IconKey />,
      run: () => void navigate({ to: '/keys', search: { q: name } }),
    }),
  )
  const everyCompany = (companies.data ?? []).map(
    ({ connection_id, name }): Entry => ({
      id: connection_id,
      label: name,
      icon: <IconDoor />,
      run: () => void navigate({ to: '/sign-in-connections/$connectionId', params: { connectionId: connection_id } }),
    }),
  )
  const everyProvider = (providers.data ?? []).map(
    ({ connection_id, name }): Entry => ({
      id: connection_id,
      label: name,
      icon: <IconProvisioning />,
      run: () => void navigate({ to: '/provisioning/$connectionId', params: { connectionId: connection_id } }),
    }),
  )
  const everyEndpoint = (endpoints.data ?? []).map(
    ({ endpoint_id, url, description }): Entry => ({
      id: endpoint_id,
      label: description || url,
      note: description ? url : undefined,
      icon: <IconWebhook />,
      run: () => void navigate({ to: '/webhooks/$endpointId', params: { endpointId: endpoint_id } }),
    }),
  )
  const first = (entries: readonly Entry[]) => matching(q, entries).slice(0, mostOfAKind)
  return {
    groups: [
      { title: t`Groups`, entries: foundGroups },
      { title: t`Organizations`, entries: foundOrganizations },
      { title: t`API keys`, entries: first(everyKey) },
      { title: t`Company sign-in`, entries: first(everyCompany) },
      { title: t`Provisioning`, entries: first(everyProvider) },
      { title: t`Webhooks`, entries: first(everyEndpoint) },
    ],
    isReading: [groups, organizations, keys, companies, providers, endpoints].some(
      ({ isFetching, data }) => isFetching && !data,
    ),
  }
}
