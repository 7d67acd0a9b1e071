import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { User } from 'rollbook/client'
import { isSelected, type Selected, select, selectableByName } from '../bulk/selection.ts'
import { type ListQuery, readIds } from './list-data.ts'
import { clamp } from './scroll-map.ts'

type Options = {
  query: ListQuery
  /** The number of this list's first row in the whole list. */
  base: number
  count: number
  userAt: (row: number) => User | undefined
  selected: Selected
  onSelect: (selected: Selected) => void
}

/** Selects single rows, or all from the last selected one to this one. */
export function useRangeSelection({ query, base, count, userAt, selected, onSelect }: Options) {
  const client = useQueryClient()
  const anchor = useRef<number>(undefined)
  return {
    toggle(row: number, isRange: boolean): void {
      const user = userAt(base + row)
      if (user === undefined) return
      const isWanted = !isSelected(selected, user.user_id)
      const from = anchor.current
      anchor.current = row
      if (!isRange || from === undefined) {
        onSelect(select(selected, [user.user_id], isWanted))
        return
      }
      const [start, end] = from < row ? [from, row + 1] : [row, from + 1]
      const most = from < row ? start : Math.max(start, end - selectableByName)
      readIds(client, query, base + most, base + Math.min(end, most + selectableByName)).then(
        (ids) => onSelect(select(selected, ids, isWanted)),
        // The list shows that these rows could not be read.
        () => undefined,
      )
    },
    /** Selects the row that the keys leave and the one they reach. */
    extend(from: number, to: number): void {
      const ids = [from, clamp(to, 0, count - 1)].flatMap((row) => userAt(base + row)?.user_id ?? [])
      onSelect(select(selected, ids, true))
      anchor.current = to
    },
  }
}
