// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have some rows of a million.
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names its active row.
/** The list: a grid that has as many rows as there are users, and draws those in view. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useTable } from '@tanstack/react-table'
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import type { User } from 'rollbook/client'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { IconDown, IconUp } from '../ui/icons.tsx'
import { isForRow, notePress, wayToOpen } from '../ui/open-row.ts'
import { type Sort, sortingOf, sortOf } from '../user-search/search-params.ts'
import { chunkSize } from './chunks.ts'
import { type ColumnId, columnIds, columns, features, gridColumns, leastWidth, shownColumns } from './columns.ts'
import { type ListQuery, readIds, useRows } from './list-data.ts'
import { ListFoot } from './list-foot.tsx'
import { ReadProblem } from './read-problem.tsx'
import {
  barHeight,
  clamp,
  isStuck,
  type Place,
  placeAfter,
  placeAt,
  rowsInView,
  type Scale,
  topShowing,
} from './scroll-map.ts'
import { isSelected, nobody, type Selected, select, selectableByName } from './selection.ts'
import { useColumnLabels } from './use-column-labels.ts'
import { useIsPhone } from './use-is-phone.ts'
import styles from './user-list.module.css'
import { rowId, UserRow } from './user-row.tsx'

type Props = {
  query: ListQuery
  total: number | undefined
  isEstimate: boolean
  /** The row to begin with, from 0. */
  startRow: number
  /** From 1 in page mode. */
  page: number | undefined
  chosenColumns: string | undefined
  isCompact: boolean
  /** Other users than those shown are on their way. */
  isStale: boolean
  selected: Selected
  going: ReadonlySet<string>
  onSelect: (selected: Selected) => void
  onSort: (sort: Sort | undefined) => void
  /** The view has come to rest at this row. */
  onRest: (row: number) => void
  onPage: (page: number) => void
  onMenu: (user: User, anchor: DOMRect) => void
  /** What can be done with those who are selected. Below the rows, which it does not move. */
  bar: ReactNode
  /** Below the rows, where there are few. */
  children?: ReactNode
}

const noUsers: User[] = []
/** Rows beyond the view that are drawn, and the steps in which they are: not one at a time. */
const [spareRows, stepRows] = [6, 4]
/** Rows beyond those that are read, for when one gets there. */
const aheadRows = 20
const restMs = 150
const reportMs = 300
/** Until it is known: so many that nobody is at the end of them. */
const guessedRows = 200

export function UserList(props: Props) {
  const { query, page, chosenColumns, isCompact, isStale, selected, going, onSelect, onSort, onRest, onMenu } = props
  const { t } = useLingui()
  const client = useQueryClient()
  const router = useRouter()
  const labels = useColumnLabels()
  const isPhone = useIsPhone()
  const grid = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLDivElement>(null)

  // In page mode the list is that page; rows keep the numbers that they have in the whole.
  const base = page === undefined ? 0 : (page - 1) * chunkSize
  const [guessedTotal] = useState(Math.max(base, props.startRow) + guessedRows)
  const total = props.total ?? guessedTotal
  const count = page === undefined ? total : clamp(total - base, 0, chunkSize)

  const [size, setSize] = useState({ viewHeight: 0, width: 0 })
  const rowHeight = isPhone ? (isCompact ? 64 : 92) : isCompact ? 36 : 52
  const scale = useMemo<Scale>(
    () => ({ total: count, rowHeight, viewHeight: size.viewHeight }),
    [count, rowHeight, size.viewHeight],
  )
  const { place, drawn, onScroll, showRow, goTo } = useScrolling(grid, scale, page === undefined ? props.startRow : 0)

  useLayoutEffect(() => {
    const element = grid.current
    if (element === null) return
    const measure = () =>
      setSize({ viewHeight: element.clientHeight - (head.current?.offsetHeight ?? 0), width: element.clientWidth })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const shown = useMemo(
    () => (isPhone ? phoneColumns : shownColumns(chosenColumns, size.width / rem())),
    [isPhone, chosenColumns, size.width],
  )
  const table = useTable({
    features,
    columns,
    // The rows are drawn by their places; the table knows the columns, which of them are seen, and the order.
    data: noUsers,
    manualSorting: true,
    sortDescFirst: false,
    state: {
      sorting: sortingOf(query.sort),
      columnVisibility: useMemo(() => Object.fromEntries(columnIds.map((id) => [id, shown.has(id)])), [shown]),
    },
    onSortingChange(change) {
      onSort(sortOf(typeof change === 'function' ? change(sortingOf(query.sort)) : change))
    },
  })
  const visible = table.getVisibleLeafColumns()
  const visibleNames = visible.map(({ id }) => id).join()
  const visibleIds = useMemo(() => visibleNames.split(',') as ColumnId[], [visibleNames])

  const { userAt, error, isReading, retry } = useRows(
    query,
    base + Math.max(0, drawn.start - aheadRows),
    base + clamp(drawn.end + aheadRows, 1, Math.max(1, count)),
  )
  const [active, setActive] = useState<number>()
  const anchor = useRef<number>(undefined)
  const seen = rowsInView(place.current.top, scale)

  const reported = base + Math.round(place.current.top / rowHeight)
  const report = useRef(onRest)
  report.current = onRest
  const isFirstReport = useRef(true)
  useEffect(() => {
    if (page !== undefined) return
    if (isFirstReport.current) {
      isFirstReport.current = false
      return
    }
    const timer = setTimeout(() => report.current(reported), reportMs)
    return () => clearTimeout(timer)
  }, [reported, page])

  const moveTo = (row: number) => {
    const to = clamp(row, 0, Math.max(0, count - 1))
    setActive(to)
    showRow(to)
  }
  const focusOn = (row: number) => {
    grid.current?.focus({ preventScroll: true })
    moveTo(row)
  }
  const open = (user: User, event?: { ctrlKey: boolean; metaKey: boolean }) => {
    const place = { to: '/users/$userId', params: { userId: user.user_id } } as const
    if (event?.ctrlKey || event?.metaKey) window.open(router.buildLocation(place).href, '_blank')
    else void router.navigate(place)
  }
  const preload = (user: User) => void router.preloadRoute({ to: '/users/$userId', params: { userId: user.user_id } })
  const toggle = (row: number, isRange: boolean) => {
    const user = userAt(base + row)
    if (user === undefined) return
    const isWanted = !isSelected(selected, user.user_id)
    const from = anchor.current
    anchor.current = row
    if (!isRange || from === undefined) return onSelect(select(selected, [user.user_id], isWanted))
    const [start, end] = from < row ? [from, row + 1] : [row, from + 1]
    const most = from < row ? start : Math.max(start, end - selectableByName)
    readIds(client, query, base + most, base + Math.min(end, most + selectableByName)).then(
      (ids) => onSelect(select(selected, ids, isWanted)),
      // The rows that could not be read say so in the list.
      () => undefined,
    )
  }
  const inView = () => {
    const ids: string[] = []
    for (let row = page === undefined ? seen.start : 0; row < (page === undefined ? seen.end : count); row += 1) {
      const user = userAt(base + row)
      if (user !== undefined) ids.push(user.user_id)
    }
    return ids
  }

  useShortcut('j', t`Next user`, () => focusOn(active === undefined ? seen.start : active + 1))
  useShortcut('k', t`Previous user`, () => focusOn(active === undefined ? seen.start : active - 1))

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const { key, shiftKey, ctrlKey, metaKey, altKey, target } = event
    const isOnGrid = target === grid.current
    const isInRow = (target as Element).closest('[data-row]') !== null
    if (altKey || (!isOnGrid && !isInRow)) return
    const at = active ?? seen.start
    const screen = Math.max(1, Math.floor(scale.viewHeight / rowHeight) - 1)
    const goals: Record<string, number> = {
      ArrowDown: active === undefined ? at : at + 1,
      ArrowUp: at - 1,
      PageDown: at + screen,
      PageUp: at - screen,
      Home: 0,
      End: count - 1,
    }
    const goal = goals[key]
    const user = userAt(base + at)
    if (goal !== undefined && !(ctrlKey && key.startsWith('Arrow'))) {
      focusOn(goal)
      if (shiftKey && key.startsWith('Arrow')) {
        const ids = [at, clamp(goal, 0, count - 1)].flatMap((row) => userAt(base + row)?.user_id ?? [])
        onSelect(select(selected, ids, true))
        anchor.current = goal
      }
    } else if (isOnGrid && key === 'Enter' && user !== undefined && active !== undefined) open(user, event)
    else if (isOnGrid && key === ' ' && active !== undefined) toggle(active, shiftKey)
    else if (isOnGrid && (ctrlKey || metaKey) && key === 'a') onSelect(select(selected, inView(), true))
    else if (key === 'Escape' && selected !== nobody) onSelect(nobody)
    else if ((key === 'ContextMenu' || (shiftKey && key === 'F10')) && user !== undefined && active !== undefined) {
      const box = document.getElementById(rowId(base + active))?.getBoundingClientRect()
      if (box !== undefined) onMenu(user, new DOMRect(box.left + 60, box.top, 0, box.height))
    } else return
    event.preventDefault()
  }

  function onClick(event: MouseEvent<HTMLDivElement>) {
    const target = event.target as Element
    const row = rowOf(target)
    const user = row === undefined ? undefined : userAt(base + row)
    if (row === undefined || user === undefined) return
    setActive(row)
    if (target.closest('input') !== null) toggle(row, event.shiftKey)
    // The label presses the box by itself.
    else if (target.closest('label') !== null) return
    else if (target.closest('button') !== null)
      onMenu(user, (target.closest('button') as Element).getBoundingClientRect())
    else if (target.closest('a') !== null) {
      // With a key held, the browser opens a tab or a window of its own.
      if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
      event.preventDefault()
      open(user)
    } else if (isForRow(event) && !going.has(user.user_id)) {
      const way = wayToOpen(event)
      if (way !== undefined) open(user, { ctrlKey: way === 'tab', metaKey: false })
    }
  }

  function onAuxClick(event: MouseEvent<HTMLDivElement>) {
    const row = rowOf(event.target as Element)
    const user = row === undefined ? undefined : userAt(base + row)
    if (user !== undefined && wayToOpen(event) === 'tab' && isForRow(event))
      open(user, { ctrlKey: true, metaKey: false })
  }

  function onPointerOver({ target }: { target: EventTarget }) {
    const row = rowOf(target as Element)
    const user = row === undefined ? undefined : userAt(base + row)
    if (user !== undefined) preload(user)
  }

  function rowOf(target: Element): number | undefined {
    const row = target.closest('[data-row]')?.getAttribute('data-row')
    return row == null ? undefined : Number(row) - base
  }

  const rows: ReactNode[] = []
  for (let row = drawn.start; row < Math.min(drawn.end, count); row += 1) {
    const user = userAt(base + row)
    rows.push(
      <UserRow
        key={row}
        row={base + row}
        user={user}
        top={row * rowHeight - drawn.shift}
        columns={visibleIds}
        isActive={row === active}
        isSelected={user !== undefined && isSelected(selected, user.user_id)}
        isGoing={user !== undefined && going.has(user.user_id)}
      />,
    )
  }
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
        aria-busy={isStale || (isReading && rows.length === 0)}
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
        onClick={onClick}
        onAuxClick={onAuxClick}
        onPointerDown={notePress}
        onPointerOver={onPointerOver}
      >
        <div ref={head} role="rowgroup" className={styles.head}>
          <div role="row" aria-rowindex={1} className={styles.headings}>
            <div role="columnheader" className={styles.heading} data-column="select">
              <SelectSeen selected={selected} ids={inView()} onSelect={onSelect} />
            </div>
            {visible.map((column) => {
              const order = column.getIsSorted()
              return (
                <div
                  key={column.id}
                  role="columnheader"
                  className={styles.heading}
                  aria-sort={
                    column.getCanSort()
                      ? order === 'asc'
                        ? 'ascending'
                        : order === 'desc'
                          ? 'descending'
                          : 'none'
                      : undefined
                  }
                >
                  {column.getCanSort() ? (
                    <button type="button" className={styles.sort} onClick={column.getToggleSortingHandler()}>
                      {labels[column.id as ColumnId]}
                      <span className={styles.arrow} data-on={order !== false || undefined}>
                        {order === 'desc' ? <IconDown size={14} /> : <IconUp size={14} />}
                      </span>
                    </button>
                  ) : (
                    labels[column.id as ColumnId]
                  )}
                </div>
              )
            })}
            <div role="columnheader" className={styles.heading}>
              <span className="visually-hidden">
                <Trans>Actions</Trans>
              </span>
            </div>
          </div>
        </div>
        <div role="rowgroup" className={styles.rows} style={{ height: barHeight(scale) }}>
          {rows}
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

const phoneColumns: ReadonlySet<ColumnId> = new Set(['username', 'email', 'state', 'last_login_at'])

function SelectSeen({
  selected,
  ids,
  onSelect,
}: {
  selected: Selected
  ids: readonly string[]
  onSelect: (selected: Selected) => void
}) {
  const { t } = useLingui()
  const count = ids.filter((id) => isSelected(selected, id)).length
  const isEvery = count > 0 && count === ids.length
  return (
    <label className={styles.tick}>
      <input
        type="checkbox"
        ref={(box) => {
          if (box !== null) box.indeterminate = count > 0 && !isEvery
        }}
        checked={isEvery}
        onChange={() => onSelect(select(selected, ids, !isEvery))}
        aria-label={t`Select the users in view`}
      />
    </label>
  )
}

type Drawn = { start: number; end: number; shift: number }

/** The place of the view, and which rows are drawn for it. */
function useScrolling(grid: React.RefObject<HTMLDivElement | null>, scale: Scale, startRow: number) {
  const place = useRef<Place>({ top: startRow * scale.rowHeight, bar: 0 })
  const [drawn, setDrawn] = useState<Drawn>(() => drawnAt(place.current, scale))
  const latest = useRef(scale)
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined)

  const draw = (isAtOnce = false) => {
    const next = drawnAt(place.current, latest.current)
    const set = () =>
      setDrawn((now) => (now.start === next.start && now.end === next.end && now.shift === next.shift ? now : next))
    // What scrolls and where its rows stand have to change in the same frame.
    if (isAtOnce) flushSync(set)
    else set()
  }
  /** Puts the bar where it belongs. */
  const settle = (top: number, isAtOnce = true) => {
    const element = grid.current
    if (element === null) return
    const next = placeAt(top, latest.current)
    if (Math.abs(element.scrollTop - next.bar) >= 1) element.scrollTop = next.bar
    // A browser rounds what it is given.
    place.current = { top: next.top, bar: element.scrollTop }
    draw(isAtOnce)
  }

  // A list of another height, or rows of another, keep the row that is at the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when these measures change, and not at each drawing.
  useLayoutEffect(() => {
    const before = latest.current
    latest.current = scale
    if (scale.viewHeight <= 0) return
    const isAtEnd =
      before.viewHeight > 0 &&
      place.current.top > 0 &&
      place.current.top >= before.total * before.rowHeight - before.viewHeight - 1
    const top = (place.current.top / before.rowHeight) * scale.rowHeight
    settle(isAtEnd ? Number.MAX_SAFE_INTEGER : top, false)
  }, [scale])

  useEffect(() => () => clearTimeout(rest.current), [])

  return {
    place,
    drawn,
    onScroll() {
      const element = grid.current
      if (element === null || element.scrollTop === place.current.bar) return
      place.current = placeAfter(place.current, element.scrollTop, latest.current)
      if (isStuck(place.current, latest.current)) settle(place.current.top)
      else draw()
      clearTimeout(rest.current)
      rest.current = setTimeout(() => settle(place.current.top), restMs)
    },
    showRow(row: number) {
      const top = topShowing(row, place.current.top, latest.current)
      if (top !== place.current.top) settle(top)
    },
    goTo(row: number) {
      settle(row * latest.current.rowHeight)
    },
  }
}

function drawnAt({ top, bar }: Place, scale: Scale): Drawn {
  const { start, end } = rowsInView(top, scale, spareRows)
  return {
    start: Math.floor(start / stepRows) * stepRows,
    end: Math.min(Math.ceil(end / stepRows) * stepRows, scale.total),
    shift: top - bar,
  }
}

function rem(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
}
