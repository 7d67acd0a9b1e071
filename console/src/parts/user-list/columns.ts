/** The columns of the list. Sortable ones have the API's name as their ID. */
import { columnVisibilityFeature, createColumnHelper, rowSortingFeature, tableFeatures } from '@tanstack/react-table'
import type { User } from 'rollbook/client'
import { type AttributeKey, isAttributeKey } from '../../data/search/users.ts'

export const features = tableFeatures({ columnVisibilityFeature, rowSortingFeature })

const helper = createColumnHelper<typeof features, User>()

export const columns = helper.columns([
  helper.accessor('username', { id: 'username', enableHiding: false }),
  helper.accessor('email', { id: 'email' }),
  helper.accessor('role', { id: 'role', enableSorting: false }),
  helper.accessor('organization_id', { id: 'organization', enableSorting: false }),
  helper.accessor('active', { id: 'state', enableSorting: false }),
  helper.accessor('last_login_at', { id: 'last_login_at' }),
  helper.accessor('created_at', { id: 'created_at' }),
  helper.accessor('updated_at', { id: 'updated_at', enableSorting: false }),
  helper.accessor('external_id', { id: 'external_id', enableSorting: false }),
  helper.accessor('user_id', { id: 'user_id', enableSorting: false }),
])

/** Widths in rem: the minimum, and the share of the remaining width. */
const widths = {
  username: [13, 2.2],
  email: [12.5, 2],
  role: [7, 0.8],
  organization: [9, 1],
  state: [8.5, 0.8],
  last_login_at: [9, 0.8],
  created_at: [9, 0.8],
  updated_at: [9, 0.8],
  external_id: [9, 1],
  user_id: [21, 0],
} as const

type OwnColumn = keyof typeof widths
export type ColumnId = OwnColumn | AttributeKey
/** The columns of every user. The columns of attributes follow them. */
export const columnIds = Object.keys(widths) as OwnColumn[]

export function attributeColumns(ids: Iterable<string>) {
  return [...ids].filter(isAttributeKey).map((id) => helper.display({ id, enableSorting: false }))
}

function widthOf(id: ColumnId): readonly [least: number, share: number] {
  return isAttributeKey(id) ? [9, 1] : widths[id]
}

/** The default columns. The first ones are kept where not all fit. */
const usual = ['username', 'state', 'email', 'organization', 'role', 'last_login_at', 'created_at'] as const
const edges = 5.5

type Room = { widthRem: number; hasOrganizations: boolean }

/** `hasOrganizations`: the viewer works with several organizations. */
export function shownColumns(chosen: string | undefined, { widthRem, hasOrganizations }: Room): ReadonlySet<ColumnId> {
  const isOffered = (id: OwnColumn) => hasOrganizations || id !== 'organization'
  if (chosen !== undefined) {
    const names = chosen.split(',')
    const own = columnIds.filter((id) => id === 'username' || (names.includes(id) && isOffered(id)))
    return new Set<ColumnId>([...own, ...names.filter(isAttributeKey)])
  }
  let left = widthRem - edges
  const fitting = usual.filter(isOffered).filter((id) => {
    left -= widths[id][0]
    return left >= 0
  })
  return new Set(['username', ...fitting])
}

/** Returns the tracks of the CSS grid, including those of the checkbox and the menu. */
export function gridColumns(ids: readonly ColumnId[]): string {
  const tracks = ids.map((id) => {
    const [least, share] = widthOf(id)
    return share === 0 ? `${least}rem` : `minmax(${least}rem, ${share}fr)`
  })
  return ['2.75rem', ...tracks, '2.75rem'].join(' ')
}

export function leastWidth(ids: readonly ColumnId[]): string {
  return `${ids.reduce((sum, id) => sum + widthOf(id)[0], edges)}rem`
}
