/** Says while typing that a name or an address belongs to another user. */
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { User } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'

const pauseMs = 300

/** Returns the user who has this username or email now; undefined if there is none, or the viewer may not know. */
export function useTaken(member: 'username' | 'email', text: string): User | undefined {
  const value = text.trim()
  const mayRead = useCan('users:read')
  const [pausedText] = useDebouncedValue(value, pauseMs)
  const { data } = useQuery({
    queryKey: ['users', 'taken', member, pausedText],
    async queryFn({ signal }) {
      const named = member === 'username' ? { username: pausedText } : { email: pausedText }
      return (await api.users.page({ ...named, limit: 1 }, { signal })).users[0] ?? null
    },
    enabled: mayRead && pausedText !== '',
    staleTime: 10_000,
    retry: false,
  })
  return pausedText === value ? (data ?? undefined) : undefined
}
