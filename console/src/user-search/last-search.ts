/** The list of users as it was left, so that the way back to it leads there. */
import type { UsersSearch } from './search-params.ts'

let last: UsersSearch = {}

export function rememberSearch(search: UsersSearch): void {
  last = search
}

export function lastSearch(): UsersSearch {
  return last
}
