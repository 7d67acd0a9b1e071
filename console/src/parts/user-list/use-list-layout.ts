import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { useIsPhone, useIsShort } from '../../ui/use-is-phone.ts'
import { type ColumnId, shownColumns } from './columns.ts'
import type { Scale } from './scroll-map.ts'

type Options = { count: number; isCompact: boolean; chosenColumns: string | undefined }

const shortColumns: ReadonlySet<ColumnId> = new Set(['username', 'state'])
const phoneColumns: ReadonlySet<ColumnId> = new Set(['username', 'email', 'state', 'last_login_at'])

/** Measures the grid: how high its rows and its view are, and which columns fit. */
export function useListLayout(
  grid: RefObject<HTMLElement | null>,
  head: RefObject<HTMLElement | null>,
  { count, isCompact, chosenColumns }: Options,
): { scale: Scale; visibleColumns: ReadonlySet<ColumnId> } {
  const isPhone = useIsPhone()
  const isShort = useIsShort()
  const hasOrganizations = useOrganizationsInUse()
  const [size, setSize] = useState({ viewHeight: 0, width: 0 })
  useLayoutEffect(() => {
    const element = grid.current
    if (element === null) return
    const measure = () =>
      setSize({ viewHeight: element.clientHeight - (head.current?.offsetHeight ?? 0), width: element.clientWidth })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [grid, head])
  const rowHeight = isShort ? 32 : isPhone ? (isCompact ? 64 : 92) : isCompact ? 36 : 52
  const scale = useMemo(
    () => ({ total: count, rowHeight, viewHeight: size.viewHeight }),
    [count, rowHeight, size.viewHeight],
  )
  const visibleColumns = useMemo(
    () =>
      isPhone
        ? isShort
          ? shortColumns
          : phoneColumns
        : shownColumns(chosenColumns, { widthRem: size.width / rem(), hasOrganizations }),
    [isPhone, isShort, chosenColumns, size.width, hasOrganizations],
  )
  return { scale, visibleColumns }
}

function rem(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
}
