/** The last search of the users list, so that links back to it restore it. */
import type { UsersSearch } from './users.ts'

let last: UsersSearch = {}

export function rememberSearch(search: UsersSearch): void {
  last = search
}

export function lastSearch(): UsersSearch {
  return last
}
