import type { KeyboardEvent } from 'react'
import type { User } from 'rollbook/client'
import { noneSelected, type Selected, select } from '../bulk/selection.ts'
import { rowId } from './user-row.tsx'

type Parts = {
  base: number
  count: number
  /** Rows that fit on a screen. */
  screen: number
  /** The row that the keys act on; undefined before one was chosen. */
  active: number | undefined
  /** The first row in view, used while none is active. */
  first: number
  userAt: (row: number) => User | undefined
  selected: Selected
  idsInView: () => readonly string[]
  focusOn: (row: number) => void
  open: (user: User, event: { ctrlKey: boolean; metaKey: boolean }) => void
  toggle: (row: number, isRange: boolean) => void
  extend: (from: number, to: number) => void
  onSelect: (selected: Selected) => void
  onMenu: (user: User, anchor: DOMRect) => void
}

/** The keys of a grid (WAI-ARIA), and those for selecting and opening. */
export function listKeys(parts: Parts) {
  const { base, count, screen, active, first, selected, userAt, onSelect, onMenu } = parts
  const at = active ?? first
  const goals: Record<string, number> = {
    ArrowDown: active === undefined ? at : at + 1,
    ArrowUp: at - 1,
    PageDown: at + screen,
    PageUp: at - screen,
    Home: 0,
    End: count - 1,
  }
  return (event: KeyboardEvent<HTMLDivElement>): void => {
    const { key, shiftKey, ctrlKey, metaKey, altKey, target, currentTarget } = event
    const isOnGrid = target === currentTarget
    const isInRow = (target as Element).closest('[data-row]') !== null
    if (altKey || (!isOnGrid && !isInRow)) return
    const goal = goals[key]
    const user = userAt(base + at)
    if (goal !== undefined && !(ctrlKey && key.startsWith('Arrow'))) {
      parts.focusOn(goal)
      if (shiftKey && key.startsWith('Arrow')) parts.extend(at, goal)
    } else if (isOnGrid && key === 'Enter' && user !== undefined && active !== undefined) parts.open(user, event)
    else if (isOnGrid && key === ' ' && active !== undefined) parts.toggle(active, shiftKey)
    else if (isOnGrid && (ctrlKey || metaKey) && key === 'a') onSelect(select(selected, parts.idsInView(), true))
    else if (key === 'Escape' && selected !== noneSelected) onSelect(noneSelected)
    else if ((key === 'ContextMenu' || (shiftKey && key === 'F10')) && user !== undefined && active !== undefined) {
      const box = document.getElementById(rowId(base + active))?.getBoundingClientRect()
      if (box !== undefined) onMenu(user, new DOMRect(box.left + 60, box.top, 0, box.height))
    } else return
    event.preventDefault()
  }
}
