// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have some rows of a million.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active row.
/** A grid with one row per user, which renders only the visible rows. */
import { useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useImperativeHandle, useRef, useState } from 'react'
import type { User } from 'rollbook/client'
import type { Sort } from '../../data/search/users.ts'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { useIsShort } from '../../ui/use-is-phone.ts'
import { isSelected, type Selected } from '../bulk/selection.ts'
import { chunkSize } from './chunks.ts'
import { gridColumns, leastWidth } from './columns.ts'
import { type ListQuery, useRows } from './list-data.ts'
import { ListFoot } from './list-foot.tsx'
import { ListHead } from './list-head.tsx'
import { listKeys } from './list-keys.ts'
import { listPointer } from './list-pointer.ts'
import { ReadProblem } from './read-problem.tsx'
import { barHeight, clamp, rowsInView } from './scroll-map.ts'
import { useListColumns } from './use-list-columns.ts'
import { useListLayout } from './use-list-layout.ts'
import { useLocked } from './use-locked.ts'
import { useRangeSelection } from './use-range-selection.ts'
import { useRestReport } from './use-rest-report.ts'
import { useScrolling } from './use-scrolling.ts'
import styles from './user-list.module.css'
import { rowId, UserRow } from './user-row.tsx'

export type ListHandle = { focusFirst: () => void }

type Props = {
  handle: RefObject<ListHandle | null>
  query: ListQuery
  total: number | undefined
  isEstimate: boolean
  /** The first row to show, from 0. */
  startRow: number
  /** From 1 in page mode. */
  page: number | undefined
  chosenColumns: string | undefined
  isCompact: boolean
  /** Rows of another search are loading. */
  isStale: boolean
  selected: Selected
  going: ReadonlySet<string>
  onSelect: (selected: Selected) => void
  onSort: (sort: Sort | undefined) => void
  /** Called when the view rests at this row. */
  onRest: (row: number) => void
  onPage: (page: number) => void
  onMenu: (user: User, anchor: DOMRect) => void
  /** The actions for the selection, below the rows so that it does not move them. */
  bar: ReactNode
  /** Below the rows if there are few. */
  children?: ReactNode
}

/** How many rows to load beyond the rendered ones. */
const aheadRows = 20
/** The number of rows until the total is known: enough to keep the end out of view. */
const guessedRows = 200

export function UserList(props: Props) {
  const isShort = useIsShort()
  const isCompact = props.isCompact || isShort
  const { query, page, startRow, isStale, selected, going, onSelect, onMenu } = props
  const { t } = useLingui()
  const grid = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)

  // In page mode the list is that page; rows keep their numbers in the whole list.
  const base = page === undefined ? 0 : (page - 1) * chunkSize
  const [guessedTotal] = useState(Math.max(base, startRow) + guessedRows)
  const total = props.total ?? guessedTotal
  const count = page === undefined ? total : clamp(total - base, 0, chunkSize)

  const { scale, visibleColumns: shown } = useListLayout(grid, head, {
    count,
    isCompact,
    chosenColumns: props.chosenColumns,
  })
  const { rowHeight, viewHeight } = scale
  const { place, drawn, onScroll, showRow, goTo } = useScrolling(grid, scale, page === undefined ? startRow : 0)
  const { visible, visibleIds } = useListColumns(shown, query.sort, props.onSort)
  const { userAt, error, isReading, retry } = useRows(
    query,
    base + Math.max(0, drawn.start - aheadRows),
    base + clamp(drawn.end + aheadRows, 1, Math.max(1, count)),
  )
  const seen = rowsInView(place.current.top, scale)
  const { active, setActive, focusOn } = useActiveRow({ grid, handle: props.handle, count, first: seen.start, showRow })
  useRestReport(base + Math.round(place.current.top / rowHeight), props.onRest, { isOn: page === undefined })

  const { open, preload } = useUserPage()
  const { toggle, extend } = useRangeSelection({ query, base, count, userAt, selected, onSelect })
  const idsInView = () => {
    const { start, end } = page === undefined ? seen : { start: 0, end: count }
    return rowsBetween(start, end).flatMap((row) => userAt(base + row)?.user_id ?? [])
  }
  const screen = Math.max(1, Math.floor(viewHeight / rowHeight) - 1)
  const chosen = { base, count, screen, active, first: seen.start, userAt, selected, idsInView }
  const onKeyDown = listKeys({ ...chosen, focusOn, open, toggle, extend, onSelect, onMenu })
  const pointer = listPointer({ base, userAt, going, setActive, open, preload, toggle, onMenu })

  const drawnRows = rowsBetween(drawn.start, Math.min(drawn.end, count))
  const isActiveDrawn = active !== undefined && active >= drawn.start && active < drawn.end
  const isSmall = props.children !== undefined

  return (
    <section className={styles.card} data-density={isCompact ? 'compact' : undefined} data-small={isSmall || undefined}>
      {error !== null && <ReadProblem error={error} retry={retry} />}
      <div
        ref={grid}
        role="grid"
        tabIndex={0}
        aria-label={t`Users`}
        aria-rowcount={props.total === undefined ? -1 : total + 1}
        aria-colcount={visibleIds.length + 2}
        aria-multiselectable="true"
        aria-busy={isStale || (isReading && drawnRows.length === 0)}
        aria-activedescendant={isActiveDrawn ? rowId(base + active) : undefined}
        className={styles.grid}
        data-stale={isStale || undefined}
        style={{
          ['--row-height' as string]: `${rowHeight}px`,
          ['--list-columns' as string]: gridColumns(visibleIds),
          ['--list-width' as string]: leastWidth(visibleIds),
        }}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        {...pointer}
      >
        <ListHead head={head} columns={visible} selected={selected} idsInView={idsInView()} onSelect={onSelect} />
        <div role="rowgroup" className={styles.rows} style={{ height: barHeight(scale) }}>
          <DrawnRows
            rows={drawnRows}
            base={base}
            topOf={(row) => row * rowHeight - drawn.shift}
            columns={visibleIds}
            active={active}
            {...{ userAt, selected, going }}
          />
        </div>
      </div>
      {props.children}
      {props.bar}
      <ListFoot
        first={count === 0 ? 0 : base + (page === undefined ? seen.start : 0) + 1}
        last={base + (page === undefined ? Math.min(seen.end, count) : count)}
        total={props.total}
        isEstimate={props.isEstimate}
        page={page}
        onRow={(row) => {
          goTo(row - base)
          setActive(clamp(row - base, 0, count - 1))
        }}
        onPage={props.onPage}
      />
    </section>
  )
}

type ActiveOptions = {
  grid: RefObject<HTMLDivElement | null>
  handle: RefObject<ListHandle | null>
  count: number
  /** The first row in view. */
  first: number
  showRow: (row: number) => void
}

/** The row that keys act on. */
function useActiveRow({ grid, handle, count, first, showRow }: ActiveOptions) {
  const { t } = useLingui()
  const [active, setActive] = useState<number>()
  const focusOn = (row: number) => {
    const to = clamp(row, 0, Math.max(0, count - 1))
    grid.current?.focus({ preventScroll: true })
    setActive(to)
    showRow(to)
  }
  useImperativeHandle(handle, () => ({ focusFirst: () => focusOn(active ?? first) }))
  useShortcut('j', t`Next user`, () => focusOn(active === undefined ? first : active + 1))
  useShortcut('k', t`Previous user`, () => focusOn(active === undefined ? first : active - 1))
  return { active, setActive, focusOn }
}

type DrawnProps = {
  rows: readonly number[]
  /** The number of row 0 in the whole list. */
  base: number
  topOf: (row: number) => number
  userAt: ReturnType<typeof useRows>['userAt']
  columns: ReturnType<typeof useListColumns>['visibleIds']
  active: number | undefined
  selected: Selected
  going: ReadonlySet<string>
}

function DrawnRows({ rows, base, topOf, userAt, columns, active, selected, going }: DrawnProps) {
  const locked = useLocked()
  return rows.map((row) => {
    const user = userAt(base + row)
    return (
      <UserRow
        key={row}
        row={base + row}
        user={user}
        top={topOf(row)}
        columns={columns}
        isActive={row === active}
        isSelected={user !== undefined && isSelected(selected, user.user_id)}
        isLocked={user !== undefined && locked.has(user.user_id)}
        isGoing={user !== undefined && going.has(user.user_id)}
      />
    )
  })
}

/** Opens the page of a user, here or in a tab, and preloads it. */
function useUserPage() {
  const router = useRouter()
  return {
    open(user: User, event?: { ctrlKey: boolean; metaKey: boolean }): void {
      const place = { to: '/users/$userId', params: { userId: user.user_id } } as const
      if (event?.ctrlKey || event?.metaKey) window.open(router.buildLocation(place).href, '_blank')
      else void router.navigate(place)
    },
    preload: (user: User) => void router.preloadRoute({ to: '/users/$userId', params: { userId: user.user_id } }),
  }
}

function rowsBetween(start: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i)
}
