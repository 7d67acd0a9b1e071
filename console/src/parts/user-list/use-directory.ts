/** The list of users that the URL describes: all users, or the members of a group. */
import { hashKey, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Filters, filtersOf, type UsersSearch, usersSearch, usualSort } from '../../data/search/users.ts'
import { chunkOf } from './chunks.ts'
import { chunkQuery, type ListQuery, type Total, useTotal } from './list-data.ts'

type SearchChange = { [Name in keyof UsersSearch]?: UsersSearch[Name] | undefined }

type Options = {
  search: UsersSearch
  /** Replaces what the address has. */
  onSearch: (next: (now: UsersSearch) => UsersSearch, how: { replace: boolean }) => void
  /** How the page's path ends. */
  path: string
  /** A filter that belongs to the page, not to its address. */
  within?: Pick<Filters, 'group'>
}

export type Directory = {
  search: UsersSearch
  /** The filters that the viewer chose. */
  filters: Filters
  within: Pick<Filters, 'group'>
  /** The requested list. */
  query: ListQuery
  /** The visible list: the previous one until rows of the next have arrived. */
  shownQuery: ListQuery
  isStale: boolean
  total: Total | undefined
  /** A new filter or order starts at the first row. */
  change: (next: SearchChange, how?: { replace?: boolean }) => void
  rest: (row: number) => void
  toPage: (page: number) => void
}

const modeKey = 'rollbook-users-mode'

export function rememberMode(page: number | undefined): void {
  localStorage.setItem(modeKey, page === undefined ? 'list' : 'pages')
}

export function useDirectory({ search, onSearch, path, within = {} }: Options): Directory {
  const filters = filtersOf(search)
  const query: ListQuery = { ...filters, ...within, sort: search.sort ?? usualSort }

  const change: Directory['change'] = (next, { replace = false } = {}) => {
    const isList = Object.keys(next).some((name) => name !== 'columns' && name !== 'density')
    const start = isList ? { row: undefined, page: search.page && 1 } : {}
    onSearch((now) => usersSearch({ ...now, ...start, ...next }), { replace })
  }

  const { shown, isStale, hasRows } = useShown(query, search)
  const total = useTotal(shown, hasRows)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only on arrival.
  useEffect(() => {
    const isPlain = Object.keys(search).length === 0
    if (isPlain && localStorage.getItem(modeKey) === 'pages') change({ page: 1 }, { replace: true })
  }, [])

  return {
    search,
    filters,
    within,
    query,
    shownQuery: shown,
    isStale,
    total,
    change,
    rest(row) {
      // Do not undo a navigation to another page or search that has just started.
      if (isStale || !location.pathname.endsWith(path)) return
      onSearch((now) => usersSearch({ ...now, row: row || undefined }), { replace: true })
    },
    toPage: (page) => onSearch((now) => usersSearch({ ...now, page }), { replace: false }),
  }
}

function useShown(query: ListQuery, { page, row = 0 }: UsersSearch) {
  const [shownQuery, setShownQuery] = useState(query)
  const isSame = hashKey([shownQuery]) === hashKey([query])
  const { data, isPending } = useQuery({
    ...chunkQuery(query, page === undefined ? chunkOf(row) : page - 1),
    enabled: !isSame,
  })
  if (!isSame && !isPending) setShownQuery(query)
  return { shown: shownQuery, isStale: !isSame, hasRows: isSame && data !== undefined }
}
