import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Attribute } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'

export const attributesQuery = queryOptions({
  queryKey: ['attributes'],
  queryFn: ({ signal }) => api.attributes.list({ signal }),
  staleTime: 60_000,
})

/** The definitions; none until they are read, and for people who may not read them. */
export function useAttributes(): readonly Attribute[] | undefined {
  const mayRead = useCan('attributes:read')
  const { data } = useQuery({ ...attributesQuery, enabled: mayRead })
  return mayRead ? data : undefined
}

/** The attributes that administrators may give many users at once. */
export function useSettableAttributes(): readonly Attribute[] {
  return (useAttributes() ?? []).filter(({ editable_by, unique }) => editable_by !== 'nobody' && !unique)
}

/** The labels under the names of changed members: `attributes.department`. */
export function useAttributeLabels(): Record<string, string> {
  return Object.fromEntries((useAttributes() ?? []).map(({ name, label }) => [`attributes.${name}`, label]))
}
