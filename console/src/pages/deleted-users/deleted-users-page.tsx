import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, NativeSelect, Skeleton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { DeletedUser } from 'rollbook/client'
import type { ApiCall } from '../../api/call.ts'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import { deletedUsersQuery, pageLimit } from '../../data/deleted-users.ts'
import { type DeletedSearch, deletedSearch } from '../../data/search/deleted-users.ts'
import { nameOf } from '../../data/users.ts'
import { Page } from '../../layout/page.tsx'
import { countSelected, isSelected, noneSelected, type Selected, select } from '../../parts/bulk/selection.ts'
import { SearchField } from '../../parts/user-list/search-field.tsx'
import { detailOf, Problem } from '../../ui/problem.tsx'
import { Records } from '../../ui/records.tsx'
import { RowAction } from '../../ui/row-actions.tsx'
import { Tick } from '../../ui/tick.tsx'
import { Instant } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './deleted-users.module.css'
import { RestoreBar } from './restore-bar.tsx'

const EraseDialog = lazy(() => import('./erase-dialog.tsx'))
const BulkDialog = lazy(() => import('../../parts/bulk/bulk-dialog.tsx'))
const route = getRouteApi('/shell/deleted-users')

export default function DeletedUsersPage() {
  const { t } = useLingui()
  const search: DeletedSearch = route.useSearch()
  const navigate = route.useNavigate()
  const query = useInfiniteQuery(deletedUsersQuery(search))
  const { data } = query
  const users = data?.pages.flatMap((page) => page.users)
  const total = data?.pages[0]?.total ?? 0
  const mayWrite = useCan('users:write')
  const [erasing, setErasing] = useState<DeletedUser | undefined>()
  const [selected, setSelected] = useState<Selected>(noneSelected)
  const [restoring, setRestoring] = useState<readonly string[] | undefined>()
  const list = useRef<HTMLUListElement>(null)
  const { expectRemoval } = useFocusAfterRemoval(data)
  const restoration = useRestoration((user_id) => {
    expectRemoval()
    setSelected((selected) => select(selected, [user_id], false))
  })
  const failed = restoration.values?.username
  /** Another search or order is another list, so its selection would be of users out of sight. */
  const show = (next: Record<string, unknown>) => {
    setSelected(noneSelected)
    void navigate({ search: deletedSearch(next), replace: true })
  }
  const restoreSelected = async () => {
    try {
      setRestoring(selected.isAll ? await idsOfAll(search, selected.ids) : [...selected.ids])
    } catch (error) {
      showToast({ kind: 'fault', message: detailOf(error, t`The service cannot be reached.`) })
    }
  }
  const count = countSelected(selected, total)
  return (
    <Page
      title={t`Deleted users`}
      description={t`Deleted users cannot sign in. You can restore them until the date shown; after that, their personal data is erased.`}
      changes={['users:write']}
      calls={callsFor(search, users?.[0])}
    >
      {restoration.error && <Problem error={restoration.error} title={t`${failed} was not restored.`} />}
      <ListTools
        search={search}
        onShow={show}
        onDown={() => list.current?.querySelector<HTMLElement>('input, button')?.focus()}
      />
      {mayWrite && count > 0 && (
        <RestoreBar selected={selected} total={total} onSelect={setSelected} onRestore={() => void restoreSelected()} />
      )}
      <Records
        source={query}
        rows={users}
        problem={t`Could not load the deleted users.`}
        waiting={<WaitingRows />}
        empty={search.q === undefined ? <NoneDeleted /> : <NoMatch onClear={() => show({ ...search, q: undefined })} />}
        more={{ label: <Trans>Show more</Trans>, className: styles.more }}
      >
        {(rows) => (
          <div className={styles.card}>
            <ul ref={list} className={styles.list}>
              {rows.map((user) => (
                <DeletedRow
                  key={user.user_id}
                  user={user}
                  isSelected={isSelected(selected, user.user_id)}
                  onSelect={(isWanted) => setSelected(select(selected, [user.user_id], isWanted))}
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
      {restoring && (
        <Suspense fallback={null}>
          <BulkDialog
            action="restore"
            selection={{ user_ids: [...restoring] }}
            total={restoring.length}
            isOpen
            onClose={() => setRestoring(undefined)}
            onDone={() => {
              expectRemoval()
              setSelected(noneSelected)
            }}
          />
        </Suspense>
      )}
    </Page>
  )
}

/** Moves the focus to the heading once the row that had it is gone. */
function useFocusAfterRemoval(data: unknown) {
  const isLeaving = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `data` changes when the rows do.
  useEffect(() => {
    if (!isLeaving.current || document.activeElement !== document.body) return
    isLeaving.current = false
    document.querySelector('h1')?.focus({ preventScroll: true })
  }, [data])
  return {
    expectRemoval() {
      isLeaving.current = true
    },
  }
}

function useRestoration(onRestored: (userId: string) => void) {
  const { t } = useLingui()
  return useSubmit(({ user_id }: DeletedUser, idempotencyKey) => api.users.restore(user_id, { idempotencyKey }), {
    stale: [['users'], ['deleted-users'], ['statistics']],
    onSuccess({ user_id, username }) {
      onRestored(user_id)
      showToast({ message: t`${username} was restored.` })
    },
  })
}

type ToolsProps = { search: DeletedSearch; onShow: (search: Record<string, unknown>) => void; onDown: () => void }

function ListTools({ search, onShow, onDown }: ToolsProps) {
  const { t } = useLingui()
  return (
    <div className={styles.tools}>
      <SearchField
        q={search.q}
        onSearch={(q) => onShow({ ...search, q })}
        onDown={onDown}
        label={t`Search deleted users`}
      />
      <NativeSelect
        aria-label={t`Sort by`}
        value={search.sort ?? '-deleted_at'}
        onChange={({ currentTarget }) => onShow({ ...search, sort: currentTarget.value })}
        data={[
          { value: '-deleted_at', label: t`Last deleted first` },
          { value: 'deleted_at', label: t`First deleted first` },
          { value: 'username', label: t`Username, A to Z` },
          { value: '-username', label: t`Username, Z to A` },
        ]}
      />
    </div>
  )
}

function WaitingRows() {
  return (
    <div className={styles.card} aria-busy="true">
      {[0, 1, 2].map((i) => (
        <div key={i} className={styles.row}>
          <Skeleton height={36} />
        </div>
      ))}
    </div>
  )
}

/** The API restores users by ID, so all pages are read first. */
async function idsOfAll(search: DeletedSearch, except: ReadonlySet<string>): Promise<string[]> {
  const ids: string[] = []
  for await (const { user_id } of api.deletedUsers.list(search)) if (!except.has(user_id)) ids.push(user_id)
  return ids
}

function NoneDeleted() {
  return (
    <div className={styles.empty}>
      <p>
        <strong>
          <Trans>There are no deleted users</Trans>
        </strong>
      </p>
      <p>
        <Trans>
          Users who are deleted on the <Link to="/users">Users</Link> page stay here for a while and can be restored.
        </Trans>
      </p>
    </div>
  )
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <div className={styles.empty}>
      <p>
        <strong>
          <Trans>No deleted user matches</Trans>
        </strong>
      </p>
      <Button variant="default" onClick={onClear}>
        <Trans>Clear the search</Trans>
      </Button>
    </div>
  )
}

type RowProps = {
  user: DeletedUser
  isSelected: boolean
  onSelect: (isWanted: boolean) => void
  isRestoring: boolean
  onRestore: () => void
  onErase: () => void
}

function DeletedRow({ user, isSelected, onSelect, isRestoring, onRestore, onErase }: RowProps) {
  const { t } = useLingui()
  const mayWrite = useCan('users:write')
  return (
    <li className={styles.row} data-selected={isSelected || undefined}>
      {mayWrite && <Tick label={t`Select ${user.username}`} isSelected={isSelected} onSelect={onSelect} />}
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
        <Group gap={8}>
          <RowAction label={t`Restore ${user.username}`} isPending={isRestoring} onClick={onRestore}>
            <Trans>Restore</Trans>
          </RowAction>
          <RowAction label={t`Erase ${user.username}…`} tone="fault" onClick={onErase}>
            <Trans>Erase…</Trans>
          </RowAction>
        </Group>
      )}
    </li>
  )
}

function callsFor(search: DeletedSearch, first: DeletedUser | undefined): ApiCall[] {
  const list: ApiCall = { operation: 'GET /deleted-users', query: { ...search, limit: pageLimit } }
  if (first === undefined) return [list]
  return [list, { operation: 'POST /users/{user_id}/restore', path: { user_id: first.user_id } }]
}
