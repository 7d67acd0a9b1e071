/** The scroll position of the list, and which rows are drawn for it. */
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isStuck, type Place, placeAfter, placeAt, rowsInView, type Scale, topShowing } from './scroll-map.ts'

/** Rows that are drawn beyond the view, and the steps in which they change: not one at a time. */
const [spareRows, stepRows] = [6, 4]
const restMs = 150

type Drawn = { start: number; end: number; shift: number }

export function useScrolling(grid: RefObject<HTMLDivElement | null>, scale: Scale, startRow: number) {
  const place = useRef<Place>({ top: startRow * scale.rowHeight, bar: 0 })
  const [drawn, setDrawn] = useState<Drawn>(() => drawnAt(place.current, scale))
  const latest = useRef(scale)
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined)

  const draw = (isAtOnce = false) => {
    const next = drawnAt(place.current, latest.current)
    const set = () =>
      setDrawn((now) => (now.start === next.start && now.end === next.end && now.shift === next.shift ? now : next))
    // The scroll position and the rows must change in the same frame.
    if (isAtOnce) flushSync(set)
    else set()
  }
  /** Corrects the position of the scroll bar. */
  const moveTo = (top: number, isAtOnce = true) => {
    const element = grid.current
    if (element === null) return
    const next = placeAt(top, latest.current)
    if (Math.abs(element.scrollTop - next.bar) >= 1) element.scrollTop = next.bar
    // Browsers round the value.
    place.current = { top: next.top, bar: element.scrollTop }
    draw(isAtOnce)
  }

  // When the list or its rows change height, the row at the top stays.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when these measures change, not at each render.
  useLayoutEffect(() => {
    const before = latest.current
    latest.current = scale
    if (scale.viewHeight <= 0) return
    const isAtEnd =
      before.viewHeight > 0 &&
      place.current.top > 0 &&
      place.current.top >= before.total * before.rowHeight - before.viewHeight - 1
    const top = (place.current.top / before.rowHeight) * scale.rowHeight
    moveTo(isAtEnd ? Number.MAX_SAFE_INTEGER : top, false)
  }, [scale])

  useEffect(() => () => clearTimeout(rest.current), [])

  return {
    place,
    drawn,
    onScroll() {
      const element = grid.current
      if (element === null || element.scrollTop === place.current.bar) return
      place.current = placeAfter(place.current, element.scrollTop, latest.current)
      if (isStuck(place.current, latest.current)) moveTo(place.current.top)
      else draw()
      clearTimeout(rest.current)
      rest.current = setTimeout(() => moveTo(place.current.top), restMs)
    },
    showRow(row: number) {
      const top = topShowing(row, place.current.top, latest.current)
      if (top !== place.current.top) moveTo(top)
    },
    goTo(row: number) {
      moveTo(row * latest.current.rowHeight)
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
