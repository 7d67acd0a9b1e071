/** Announces new users. The rows change only on request. */
import { Plural } from '@lingui/react/macro'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { Filters } from '../../data/search/users.ts'
import { IconUp } from '../../ui/icons.tsx'
import styles from './new-users.module.css'

const everyMs = 15_000

type Props = { filters: Filters; onShow: () => void }

export function NewUsers({ filters, onShow }: Props) {
  const client = useQueryClient()
  const newest = useQuery({
    queryKey: ['users', 'newest'],
    async queryFn({ signal }) {
      const { users } = await api.users.page({ sort: '-created_at', limit: 1 }, { signal })
      return users[0]?.created_at ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const since = newest.data ?? undefined
  const { data: count = 0 } = useQuery({
    queryKey: ['users', 'newer', filters, since],
    async queryFn({ signal }) {
      const query = { ...filters, ...(since !== undefined && { created_after: since }), limit: 1, count: true }
      return (await api.users.page(query, { signal })).total ?? 0
    },
    enabled: newest.isSuccess,
    refetchInterval: everyMs,
    // The interval starts with a wait, not with a request.
    initialData: 0,
    staleTime: everyMs,
  })
  if (count === 0) return null
  return (
    <div className={styles.place} role="status">
      <button
        type="button"
        className={styles.pill}
        onClick={() => {
          void client.invalidateQueries({ queryKey: ['users'] })
          onShow()
        }}
      >
        <IconUp size={16} />
        <Plural value={count} one="# new user" other="# new users" />
      </button>
    </div>
  )
}
