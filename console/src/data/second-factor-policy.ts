import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** How the policy in force affects existing users. */
export const policyQuery = queryOptions({
  queryKey: ['second-factor-policy', 'in-force'],
  queryFn: ({ signal }) => api.factors.testPolicy(undefined, { signal }),
})

/** The stored policies, and what manages them. */
export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: ({ signal }) => api.policies.get({ signal }),
})

export const missingOfAPage = 100
/** The most empty pages to skip in one request for more. */
const mostEmptyPages = 20

/** The users who need a factor under the policy, and have none. */
export const missingQuery = infiniteQueryOptions({
  queryKey: ['second-factor-policy', 'missing'],
  initialPageParam: '',
  async queryFn({ signal, pageParam }) {
    let cursor = pageParam
    for (let tries = 1; ; tries++) {
      const page = await api.factors.missingPage(
        { limit: missingOfAPage, ...(cursor !== '' && { cursor }) },
        { signal },
      )
      if (page.users.length > 0 || page.next === undefined || tries === mostEmptyPages) return page
      cursor = page.next
    }
  },
  getNextPageParam: ({ next }) => next,
})
