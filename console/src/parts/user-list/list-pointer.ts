import type { MouseEvent } from 'react'
import type { User } from 'rollbook/client'
import { isForRow, notePress, wayToOpen } from '../../ui/open-row.ts'

type Parts = {
  base: number
  userAt: (row: number) => User | undefined
  /** Users who are being removed from the list and cannot be opened. */
  going: ReadonlySet<string>
  setActive: (row: number) => void
  open: (user: User, event?: { ctrlKey: boolean; metaKey: boolean }) => void
  preload: (user: User) => void
  toggle: (row: number, isRange: boolean) => void
  onMenu: (user: User, anchor: DOMRect) => void
}

const inTab = { ctrlKey: true, metaKey: false }

/** The pointer handlers of all rows: a listener for each row would cost more than drawing it. */
export function listPointer({ base, userAt, going, setActive, open, preload, toggle, onMenu }: Parts) {
  const at = (target: EventTarget) => {
    const attribute = (target as Element).closest('[data-row]')?.getAttribute('data-row')
    const user = attribute == null ? undefined : userAt(Number(attribute))
    return user && { row: Number(attribute) - base, user }
  }
  return {
    onPointerDown: notePress,
    onPointerOver({ target }: { target: EventTarget }) {
      const found = at(target)
      if (found !== undefined) preload(found.user)
    },
    onClick(event: MouseEvent<HTMLDivElement>) {
      const found = at(event.target)
      // A link in a cell has led elsewhere.
      if (found === undefined || event.defaultPrevented) return
      const { row, user } = found
      const target = event.target as Element
      setActive(row)
      const button = target.closest('button')
      if (target.closest('input') !== null) toggle(row, event.shiftKey)
      // The label presses the checkbox.
      else if (target.closest('label') !== null) return
      else if (button !== null) onMenu(user, button.getBoundingClientRect())
      else if (target.closest('a') !== null) {
        // With a modifier key, the browser opens a tab or a window.
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        open(user)
      } else if (isForRow(event) && !going.has(user.user_id)) {
        const way = wayToOpen(event)
        if (way !== undefined) open(user, way === 'tab' ? inTab : undefined)
      }
    },
    onAuxClick(event: MouseEvent<HTMLDivElement>) {
      const found = at(event.target)
      if (found !== undefined && wayToOpen(event) === 'tab' && isForRow(event)) open(found.user, inTab)
    },
  }
}
