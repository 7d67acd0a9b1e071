/** A list of users with search, filters, view, and the actions for one user or the selected users. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { hashKey, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { namesOfFilters } from '../../data/search/users.ts'
import { productName } from '../../lib/page-names.ts'
import { IconColumns, IconFilter, IconPaste } from '../../ui/icons.tsx'
import { detailOf } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { countSelected, noneSelected, type Selected, type Selection, select, selectionOf } from '../bulk/selection.ts'
import { useUserActions } from '../user-actions/use-user-actions.ts'
import { NearMisses } from '../user-finder/near-misses.tsx'
import { shownColumns } from './columns.ts'
import { FilterChips } from './filter-chips.tsx'
import { FilterForm } from './filter-form.tsx'
import { ListDialogs, useListDialogs } from './list-dialogs.tsx'
import { NewUsers } from './new-users.tsx'
import { Panel } from './panel.tsx'
import { SearchField } from './search-field.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { type Directory, rememberMode } from './use-directory.ts'
import { type ListHandle, UserList } from './user-list.tsx'
import styles from './users-page.module.css'
import { ViewForm } from './view-form.tsx'

/** The most that `GET /users` takes by ID. */
const exportableByName = 500

export type Chosen = { selection: Selection; total: number; clear: () => void }

type Props = {
  directory: Directory
  /** Exports the whole list. */
  onExport: () => void
  /** Below a list with the viewer alone. */
  first?: ReactNode
  /** Instead of a list without rows, if nothing filters it. */
  empty?: ReactNode
  /** Actions for the selected users, before those of every list. */
  actionsFor?: (chosen: Chosen) => ReactNode
}

export function DirectoryView({ directory, onExport, first, empty, actionsFor }: Props) {
  const client = useQueryClient()
  const { search, filters, within, shownQuery: shown, isStale, total, change } = directory
  const [selected, setSelected] = useState<Selected>(noneSelected)
  const filterHash = hashKey([filters])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other users match now.
  useEffect(() => setSelected(noneSelected), [filterHash])

  const list = useRef<ListHandle>(null)
  const { actions, going } = useUserActions()
  const dialogs = useListDialogs()

  const exportSelected = useExportOfSelected()
  const exportOf = ({ isAll, ids }: Selected) => {
    if (isAll) return ids.size === 0 ? onExport : undefined
    return ids.size <= exportableByName ? () => void exportSelected([...ids]) : undefined
  }

  const isNarrowed = Object.keys(filters).length > 0
  const isEmpty = total?.total === 0
  const isFirst = first !== undefined
  const count = total?.total ?? 0
  const chosen = (): Chosen => ({
    selection: selectionOf(selected, { ...filters, ...within }),
    total: countSelected(selected, count),
    clear: () => setSelected(noneSelected),
  })

  if (isEmpty && !isNarrowed && empty !== undefined) return empty
  return (
    <>
      <ListTools directory={directory} onDown={() => list.current?.focusFirst()} onPaste={dialogs.pasting.open} />
      {!isFirst && <FilterChips filters={filters} onChange={change} />}
      {isEmpty && isNarrowed ? (
        <NoMatch
          q={search.q}
          isFiltered={Object.keys(filters).some((name) => name !== 'q')}
          onClear={() => change(Object.fromEntries(namesOfFilters(filters).map((name) => [name, undefined])))}
        />
      ) : (
        <div className={styles.list} data-first={isFirst || undefined}>
          {within.group === undefined &&
            filters.created_after === undefined &&
            filters.created_before === undefined && (
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
                  isOfGroup={within.group !== undefined}
                  isOfServices={filters.kind === 'service'}
                  more={actionsFor?.(chosen())}
                  onSelect={setSelected}
                  onAction={(action) => {
                    const { selection, total } = chosen()
                    dialogs.startBulk({ action, selection, total })
                  }}
                  onExport={exportOf(selected)}
                />
              )
            }
            selected={selected}
            going={going}
            onSelect={setSelected}
            onSort={(sort) => change({ sort })}
            onRest={directory.rest}
            onPage={directory.toPage}
            onMenu={(user, anchor) => dialogs.setMenu({ user, anchor })}
          >
            {first}
          </UserList>
        </div>
      )}
      <ListDialogs
        dialogs={dialogs}
        actions={actions}
        group={within.group}
        onSelect={(ids) => setSelected((now) => select(now.isAll ? noneSelected : now, ids, true))}
        onBulkDone={() => {
          setSelected(noneSelected)
          void client.invalidateQueries({ queryKey: ['users'] })
        }}
      />
    </>
  )
}

type ToolsProps = { directory: Directory; onDown: () => void; onPaste: () => void }

/** Search, filters, view, and selecting users from a list of names. */
function ListTools({ directory: { search, filters, within, change }, onDown, onPaste }: ToolsProps) {
  const { t } = useLingui()
  const hasOrganizations = useOrganizationsInUse()
  return (
    <Group gap={8} wrap="nowrap">
      <SearchField
        q={search.q}
        onDown={onDown}
        onSearch={(q) => change({ q }, { replace: search.q !== undefined && q !== undefined })}
      />
      <Panel
        label={t`Filters`}
        icon={<IconFilter />}
        count={Object.keys(filters).filter((name) => name !== 'q').length}
      >
        {(close) => (
          <FilterForm filters={filters} hasGroups={within.group === undefined} onChange={change} onClose={close} />
        )}
      </Panel>
      <Panel label={t`View`} icon={<IconColumns />}>
        {() => (
          <ViewForm
            search={search}
            hasOrganizations={hasOrganizations}
            visibleColumns={shownColumns(search.columns, { widthRem: 80, hasOrganizations })}
            onChange={(next) => {
              if ('page' in next) rememberMode(next.page)
              change(next, { replace: !('sort' in next) && !('page' in next) })
            }}
          />
        )}
      </Panel>
      <Button variant="default" leftSection={<IconPaste />} className={styles.paste ?? ''} onClick={onPaste}>
        <span>
          <Trans>Select from a list</Trans>
        </span>
      </Button>
    </Group>
  )
}

/** Returns a function that writes the selected users to a file. */
function useExportOfSelected() {
  const { t } = useLingui()
  return async function exportSelected(user_id: string[]) {
    try {
      const [{ exportUsers }, { usersFileName }] = await Promise.all([
        import('../exports/export-users.ts'),
        import('../exports/export-name.ts'),
      ])
      const { signal } = new AbortController()
      const name = usersFileName(productName, {}, new Date())
      const file = await exportUsers({ user_id }, { format: 'csv', name }, { signal, onProgress: () => undefined })
      if (file !== undefined) showToast({ message: t`The selected users are in the file.` })
    } catch (error) {
      const message = detailOf(error, t`The service cannot be reached. No file was written.`)
      showToast({ kind: 'fault', message })
    }
  }
}

type NoMatchProps = { q: string | undefined; isFiltered: boolean; onClear: () => void }

function NoMatch({ q, isFiltered, onClear }: NoMatchProps): ReactNode {
  return (
    <div className={styles.noMatch} role="status">
      <h2>
        <Trans>No users found</Trans>
      </h2>
      <p>
        {q === undefined ? (
          <Trans>No users match these filters.</Trans>
        ) : isFiltered ? (
          <Trans>No users match “{q}” and the filters.</Trans>
        ) : (
          <Trans>No users match “{q}”.</Trans>
        )}
      </p>
      {q !== undefined && <NearMisses q={q} />}
      <Button variant="default" onClick={onClear}>
        <Trans>Clear search and filters</Trans>
      </Button>
    </div>
  )
}
