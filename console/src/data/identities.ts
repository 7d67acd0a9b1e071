import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const ownIdentitiesQuery = queryOptions({
  queryKey: ['me', 'identities'],
  queryFn: ({ signal }) => api.connections.myIdentities({ signal }),
})
