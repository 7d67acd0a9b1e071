import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { DeletedUser } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { Page } from '../page/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Records } from '../ui/records.tsx'
import { Instant } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import { nameOf } from '../user/queries.ts'
import styles from './deleted-users.module.css'
import { deletedUsersQuery, pageLimit } from './queries.ts'

const EraseDialog = lazy(() => import('./erase-dialog.tsx'))

export default function DeletedUsersPage() {
  const { t } = useLingui()
  const queries = useQueryClient()
  const query = useInfiniteQuery(deletedUsersQuery)
  const { data } = query
  const users = data?.pages.flatMap((page) => page.users)
  const [erasing, setErasing] = useState<DeletedUser | undefined>()
  // The focus is lost with the removed row.
  const isLeaving = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `data` changes when the rows do.
  useEffect(() => {
    if (!isLeaving.current || document.activeElement !== document.body) return
    isLeaving.current = false
    document.querySelector('h1')?.focus({ preventScroll: true })
  }, [data])
  const restoration = useSubmit(
    ({ user_id }: DeletedUser, idempotencyKey) => api.users.restore(user_id, { idempotencyKey }),
    {
      onSuccess({ username }) {
        isLeaving.current = true
        void queries.invalidateQueries({ queryKey: ['users'] })
        void queries.invalidateQueries({ queryKey: ['deleted-users'] })
        void queries.invalidateQueries({ queryKey: ['statistics'] })
        showToast({ message: t`${username} was restored.` })
      },
    },
  )
  const failed = restoration.values?.username
  return (
    <Page
      title={t`Deleted users`}
      description={t`Deleted users cannot sign in. You can restore them until the date shown; after that, their personal data is erased.`}
      actions={<ApiCallButton calls={callsFor(users?.[0])} />}
    >
      {restoration.error && <Problem error={restoration.error} title={t`${failed} was not restored.`} />}
      <Records
        source={query}
        rows={users}
        problem={t`The deleted users could not be read.`}
        waiting={
          <div className={styles.card} aria-busy="true">
            {[0, 1, 2].map((i) => (
              <div key={i} className={styles.row}>
                <Skeleton height={36} />
              </div>
            ))}
          </div>
        }
        empty={
          <div className={styles.empty}>
            <p>
              <strong>
                <Trans>There are no deleted users</Trans>
              </strong>
            </p>
            <p>
              <Trans>
                Users who are deleted on the <Link to="/users">Users</Link> page stay here for a while and can be
                restored.
              </Trans>
            </p>
          </div>
        }
        more={{ label: <Trans>Show more</Trans>, className: styles.more }}
      >
        {(rows) => (
          <div className={styles.card}>
            <ul className={styles.list}>
              {rows.map((user) => (
                <DeletedRow
                  key={user.user_id}
                  user={user}
                  isRestoring={restoration.isPending && restoration.values?.user_id === user.user_id}
                  onRestore={() => restoration.submit(user)}
                  onErase={() => setErasing(user)}
                />
              ))}
            </ul>
          </div>
        )}
      </Records>
      {erasing && (
        <Suspense fallback={null}>
          <EraseDialog user={erasing} onClose={() => setErasing(undefined)} />
        </Suspense>
      )}
    </Page>
  )
}

type RowProps = { user: DeletedUser; isRestoring: boolean; onRestore: () => void; onErase: () => void }

function DeletedRow({ user, isRestoring, onRestore, onErase }: RowProps) {
  const { t } = useLingui()
  const mayWrite = useCan('users:write')
  return (
    <li className={styles.row}>
      <div className={styles.who}>
        <strong>
          <bdi>{nameOf(user) || user.username}</bdi>
        </strong>
        <span className={styles.quiet}>
          {nameOf(user) !== '' && <bdi>{user.username}</bdi>}
          {user.email !== null && <bdi>{user.email}</bdi>}
        </span>
      </div>
      <div className={styles.when}>
        <span>
          <Trans>
            Restorable until <Instant value={user.restorable_until} style="date" />
          </Trans>
        </span>
        <span className={styles.quiet}>
          <Trans>
            Deleted <Instant value={user.deleted_at} />
          </Trans>
        </span>
      </div>
      {mayWrite && (
        <div className={styles.buttons}>
          <Button
            size="xs"
            variant="default"
            aria-label={t`Restore ${user.username}`}
            loading={isRestoring}
            onClick={onRestore}
          >
            <Trans>Restore</Trans>
          </Button>
          <Button
            size="xs"
            variant="subtle"
            className={styles.erase ?? ''}
            aria-label={t`Erase ${user.username}…`}
            onClick={onErase}
          >
            <Trans>Erase…</Trans>
          </Button>
        </div>
      )}
    </li>
  )
}

function callsFor(first: DeletedUser | undefined) {
  const list = { operation: 'GET /deleted-users', query: { limit: pageLimit } } as const
  if (first === undefined) return [list]
  return [list, { operation: 'POST /users/{user_id}/restore', path: { user_id: first.user_id } } as const]
}
