/** The selection: some users, or all who match the filters except some. */
import type { BulkChange } from 'rollbook/client'
import { type Filters, filtersOf } from '../../data/search/users.ts'

export type BulkFilter = NonNullable<BulkChange['filter']>
export type BulkAction = BulkChange['action']

/** The form that dialogs and `POST /users/bulk` take. */
export type Selection = { user_ids: string[] } | { filter: BulkFilter; except: string[] }

/** The form that the list keeps. */
export type Selected = { readonly isAll: boolean; readonly ids: ReadonlySet<string> }

/** The most that `POST /users/bulk` takes by ID. */
export const mostByName = 1000
/** The most that can be selected one by one. */
export const selectableByName = mostByName
export const noneSelected: Selected = { isAll: false, ids: new Set() }
export const allSelected: Selected = { isAll: true, ids: new Set() }

export function isSelected({ isAll, ids }: Selected, userId: string): boolean {
  return ids.has(userId) !== isAll
}

/** IDs beyond the limit of a change are ignored. */
export function select(selected: Selected, userIds: Iterable<string>, isWanted: boolean): Selected {
  const ids = new Set(selected.ids)
  for (const userId of userIds) {
    if (isWanted === selected.isAll) ids.delete(userId)
    else if (ids.size < selectableByName) ids.add(userId)
  }
  return { isAll: selected.isAll, ids }
}

export function countSelected({ isAll, ids }: Selected, total: number): number {
  return isAll ? Math.max(0, total - ids.size) : ids.size
}

export function selectionOf({ isAll, ids }: Selected, filters: Filters): Selection {
  return isAll ? { filter: filtersOf(filters), except: [...ids] } : { user_ids: [...ids] }
}
