/** Who is selected: some users, or everybody whom the filters match but some. */
import type { BulkChange } from 'rollbook/client'
import { type Filters, filtersOf } from '../user-search/search-params.ts'

export type BulkFilter = NonNullable<BulkChange['filter']>
export type BulkAction = BulkChange['action']

/** As a dialog is given it, and as `POST /users/bulk` takes it. */
export type Selection = { user_ids: string[] } | { filter: BulkFilter; except: string[] }

/** As the list keeps it. */
export type Selected = { readonly isAll: boolean; readonly ids: ReadonlySet<string> }

/** As many as one bulk change takes by name. */
export const selectableByName = 1000
export const nobody: Selected = { isAll: false, ids: new Set() }
export const everybody: Selected = { isAll: true, ids: new Set() }

export function isSelected({ isAll, ids }: Selected, userId: string): boolean {
  return ids.has(userId) !== isAll
}

/** With more names than a change takes, those that are too many are left as they are. */
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
