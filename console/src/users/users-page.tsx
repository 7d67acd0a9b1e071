import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { hashKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { User } from 'rollbook/client'
import { useCan } from '../api/me.ts'
import { Page } from '../page/page.tsx'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { IconColumns, IconExport, IconFilter, IconPlus } from '../ui/icons.tsx'
import { loadedAhead } from '../ui/loaded-ahead.tsx'
import { detailOf } from '../ui/problem.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useUserActions } from '../user/use-user-actions.ts'
import type { UserDialog } from '../user/user-dialogs.tsx'
import { filterNames, filtersOf, type UsersSearch, usersSearch, usualSort } from '../user-search/search-params.ts'
import { chunkOf, chunkSize } from './chunks.ts'
import { shownColumns } from './columns.ts'
import { FilterChips } from './filter-chips.tsx'
import { FilterForm } from './filter-form.tsx'
import { FirstUsers } from './first-users.tsx'
import { chunkQuery, type ListQuery, useTotal } from './list-data.ts'
import { NewUsers } from './new-users.tsx'
import { Panel } from './panel.tsx'
import { SearchField } from './search-field.tsx'
import {
  type BulkAction,
  countSelected,
  noneSelected,
  type Selected,
  type Selection,
  selectionOf,
} from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { type ListHandle, UserList } from './user-list.tsx'
import styles from './users-page.module.css'
import { ViewForm } from './view-form.tsx'

const { Component: CreateDialog, usePreload: usePreloadCreate } = loadedAhead(() => import('./create-dialog.tsx'))
const ExportDialog = lazy(() => import('../exports/export-dialog.tsx'))
const BulkDialog = lazy(() => import('./bulk-dialog.tsx'))
const UserMenu = lazy(() => import('../user/user-menu.tsx'))
const UserDialogs = lazy(() => import('../user/user-dialogs.tsx'))

const route = getRouteApi('/shell/users')
const modeKey = 'rollbook-users-mode'
/** The most that `GET /users` takes by ID. */
const exportableByName = 500

type Bulk = { action: BulkAction; selection: Selection; total: number }
type Change = { [Name in keyof UsersSearch]?: UsersSearch[Name] | undefined }

export default function UsersPage() {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const client = useQueryClient()
  const mayWrite = useCan('users:write')
  const filters = filtersOf(search)
  const query: ListQuery = { ...filters, sort: search.sort ?? usualSort }

  /** A new filter or order starts at the first row. */
  const change = (next: Change, { replace = false } = {}) => {
    const isList = Object.keys(next).some((name) => name !== 'columns' && name !== 'density')
    const start = isList ? { row: undefined, page: search.page && 1 } : {}
    void navigate({ search: (now) => usersSearch({ ...now, ...start, ...next }), replace, resetScroll: false })
  }

  const { shown, isStale, hasRows } = useShown(query, search)
  const total = useTotal(shown, hasRows)

  const [selected, setSelected] = useState<Selected>(noneSelected)
  const filterHash = hashKey([filters])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other users match now.
  useEffect(() => setSelected(noneSelected), [filterHash])

  // biome-ignore lint/correctness/useExhaustiveDependencies: only on arrival.
  useEffect(() => {
    const isPlain = Object.keys(search).length === 0
    if (isPlain && localStorage.getItem(modeKey) === 'pages') change({ page: 1 }, { replace: true })
  }, [])

  const list = useRef<ListHandle>(null)
  const { actions, going } = useUserActions()
  const [menu, setMenu] = useState<{ user: User; anchor: DOMRect }>()
  const [dialog, setDialog] = useState<UserDialog>()
  const create = useDialog()
  const exporting = useDialog()
  const bulking = useDialog()
  const [bulk, setBulk] = useState<Bulk>()
  usePreloadCreate()
  useShortcut('c', t`Create user`, create.open, { opensField: true, isOn: mayWrite })

  const exportOf = ({ isAll, ids }: Selected) => {
    if (isAll) return ids.size === 0 ? exporting.open : undefined
    return ids.size <= exportableByName ? () => void exportSelected([...ids]) : undefined
  }
  async function exportSelected(user_id: string[]) {
    try {
      const { exportUsers } = await import('../exports/export-users.ts')
      const { signal } = new AbortController()
      const file = await exportUsers({ user_id }, 'csv', { signal, onProgress: () => undefined })
      if (file !== undefined) showToast({ message: t`The selected users are in the file.` })
    } catch (error) {
      const message = detailOf(error, t`The service cannot be reached. No file was written.`)
      showToast({ kind: 'fault', message })
    }
  }

  const isNarrowed = Object.keys(filters).length > 0
  const isEmpty = total?.total === 0
  const isFirst = !isNarrowed && !total?.isEstimate && total !== undefined && total.total <= 1
  const count = total?.total ?? 0

  return (
    <Page
      isFull
      title={t`Users`}
      calls={[{ operation: 'GET /users', query: { ...query, limit: chunkSize, offset: search.row, count: true } }]}
      actions={
        <>
          <Button
            variant="default"
            className={styles.export ?? ''}
            leftSection={<IconExport />}
            onClick={exporting.open}
          >
            <span>
              <Trans>Export users</Trans>
            </span>
          </Button>
          <Button
            leftSection={<IconPlus />}
            disabled={!mayWrite}
            title={mayWrite ? undefined : t`Needs the permission users:write.`}
            onClick={create.open}
          >
            <Trans>Create user</Trans>
          </Button>
        </>
      }
    >
      <div className={styles.tools}>
        <SearchField
          q={search.q}
          onDown={() => list.current?.focusFirst()}
          onSearch={(q) => change({ q }, { replace: search.q !== undefined && q !== undefined })}
        />
        <Panel
          label={t`Filters`}
          icon={<IconFilter />}
          count={Object.keys(filters).filter((name) => name !== 'q').length}
        >
          {(close) => <FilterForm filters={filters} onChange={change} onClose={close} />}
        </Panel>
        <Panel label={t`View`} icon={<IconColumns />}>
          {() => (
            <ViewForm
              search={search}
              shown={shownColumns(search.columns, 80)}
              onChange={(next) => {
                if ('page' in next) localStorage.setItem(modeKey, next.page === undefined ? 'list' : 'pages')
                change(next, { replace: !('sort' in next) && !('page' in next) })
              }}
            />
          )}
        </Panel>
      </div>
      {!isFirst && <FilterChips filters={filters} onChange={change} />}
      {isEmpty && isNarrowed ? (
        <NoMatch onClear={() => change(Object.fromEntries(filterNames.map((name) => [name, undefined])))} />
      ) : (
        <div className={styles.list} data-first={isFirst || undefined}>
          {filters.created_after === undefined && filters.created_before === undefined && (
            <NewUsers filters={filters} onShow={() => change({ sort: undefined })} />
          )}
          <UserList
            key={hashKey([shown, search.page !== undefined])}
            handle={list}
            query={shown}
            total={total?.total}
            isEstimate={total?.isEstimate ?? false}
            startRow={search.row ?? 0}
            page={search.page}
            chosenColumns={search.columns}
            isCompact={search.density === 'compact'}
            isStale={isStale}
            bar={
              selected !== noneSelected &&
              countSelected(selected, count) > 0 && (
                <SelectionBar
                  selected={selected}
                  total={count}
                  onSelect={setSelected}
                  onAction={(action) => {
                    setBulk({
                      action,
                      selection: selectionOf(selected, filters),
                      total: countSelected(selected, count),
                    })
                    bulking.open()
                  }}
                  onExport={exportOf(selected)}
                />
              )
            }
            selected={selected}
            going={going}
            onSelect={setSelected}
            onSort={(sort) => change({ sort })}
            onRest={(row) => {
              // Do not undo a navigation to another page or search that has just started.
              if (isStale || !location.pathname.endsWith('/users')) return
              void navigate({
                search: (now) => usersSearch({ ...now, row: row || undefined }),
                replace: true,
                resetScroll: false,
              })
            }}
            onPage={(page) => void navigate({ search: (now) => usersSearch({ ...now, page }), resetScroll: false })}
            onMenu={(user, anchor) => setMenu({ user, anchor })}
          >
            {isFirst ? <FirstUsers onCreate={create.open} /> : undefined}
          </UserList>
        </div>
      )}
      <Suspense fallback={null}>
        {menu && (
          <UserMenu
            key={menu.user.user_id}
            {...menu}
            actions={actions}
            onDialog={setDialog}
            onDelete={(user) => void actions.remove(user)}
            onClose={() => setMenu(undefined)}
          />
        )}
        {dialog && <UserDialogs dialog={dialog} onClose={() => setDialog(undefined)} />}
        {create.wasOpened && <CreateDialog isOpen={create.isOpen} onClose={create.close} />}
        {exporting.wasOpened && (
          <ExportDialog query={search} total={total?.total} isOpen={exporting.isOpen} onClose={exporting.close} />
        )}
        {bulk && (
          <BulkDialog
            {...bulk}
            isOpen={bulking.isOpen}
            onClose={bulking.close}
            onDone={() => {
              setSelected(noneSelected)
              void client.invalidateQueries({ queryKey: ['users'] })
            }}
          />
        )}
      </Suspense>
    </Page>
  )
}

/** Returns the list to show: the previous one until rows of the next have arrived. */
function useShown(query: ListQuery, { page, row = 0 }: UsersSearch) {
  const [shown, setShown] = useState(query)
  const isSame = hashKey([shown]) === hashKey([query])
  const { data, isPending } = useQuery({
    ...chunkQuery(query, page === undefined ? chunkOf(row) : page - 1),
    enabled: !isSame,
  })
  if (!isSame && !isPending) setShown(query)
  return { shown, isStale: !isSame, hasRows: isSame && data !== undefined }
}

function useDialog() {
  const [isOpen, setIsOpen] = useState(false)
  // Stays mounted after it was opened, so that it can close with its animation.
  const wasOpened = useRef(false)
  if (isOpen) wasOpened.current = true
  return { isOpen, wasOpened: wasOpened.current, open: () => setIsOpen(true), close: () => setIsOpen(false) }
}

function NoMatch({ onClear }: { onClear: () => void }): ReactNode {
  return (
    <div className={styles.noMatch} role="status">
      <h2>
        <Trans>No users found</Trans>
      </h2>
      <p>
        <Trans>No user matches the search and the filters together.</Trans>
      </p>
      <Button variant="default" onClick={onClear}>
        <Trans>Clear search and filters</Trans>
      </Button>
    </div>
  )
}
