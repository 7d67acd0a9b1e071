import { useTable } from '@tanstack/react-table'
import { useMemo } from 'react'
import type { User } from 'rollbook/client'
import { type Sort, sortingOf, sortOf } from '../../data/search/users.ts'
import { attributeColumns, type ColumnId, columnIds, columns, features } from './columns.ts'

const noUsers: User[] = []

export type ListColumn = ReturnType<typeof useListColumns>['visible'][number]

/** The visible columns and their order. The rows are drawn by position, without this table. */
export function useListColumns(
  visibleColumns: ReadonlySet<ColumnId>,
  sort: Sort | undefined,
  onSort: (sort: Sort | undefined) => void,
) {
  const all = useMemo(() => [...columns, ...attributeColumns(visibleColumns)], [visibleColumns])
  const table = useTable({
    features,
    columns: all,
    data: noUsers,
    manualSorting: true,
    sortDescFirst: false,
    state: {
      sorting: sortingOf(sort),
      columnVisibility: useMemo(
        () => Object.fromEntries(columnIds.map((id) => [id, visibleColumns.has(id)])),
        [visibleColumns],
      ),
    },
    onSortingChange(change) {
      onSort(sortOf(typeof change === 'function' ? change(sortingOf(sort)) : change))
    },
  })
  const visible = table.getVisibleLeafColumns()
  const names = visible.map(({ id }) => id).join()
  // A stable array, because each row gets it.
  const visibleIds = useMemo(() => names.split(',') as ColumnId[], [names])
  return { visible, visibleIds }
}
