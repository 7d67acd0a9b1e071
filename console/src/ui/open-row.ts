/** A row that opens its subject on a click. Keyboards and screen readers use the link or button with `data-opens`. */
import type { MouseEvent, PointerEvent } from 'react'

const dragPixels = 5
let pressedAt: { x: number; y: number } | undefined
/** This click closes a menu or a panel and must do nothing else. */
let isDismissing = false

/** Remembers where the pointer went down: a click that ends a drag selects text and opens nothing. */
export function notePress({ clientX: x, clientY: y }: PointerEvent): void {
  pressedAt = { x, y }
  isDismissing = document.querySelector(':popover-open') !== null
}

/** Whether the click is for the row: not for a control in it, and not the end of a text selection. */
export function isForRow({ target, clientX, clientY }: MouseEvent): boolean {
  if (!(target instanceof Element) || isDismissing) return false
  if (target.closest('a, button, input, select, textarea, label, summary, [role="menu"], [role="dialog"]') !== null)
    return false
  if (pressedAt !== undefined && Math.hypot(clientX - pressedAt.x, clientY - pressedAt.y) > dragPixels) return false
  return document.getSelection()?.isCollapsed !== false
}

/** Like a link: Ctrl, Command and the middle button open a tab. Undefined if this click opens nothing. */
export function wayToOpen({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): 'here' | 'tab' | undefined {
  if (button === 1) return 'tab'
  if (button !== 0 || shiftKey || altKey) return undefined
  return ctrlKey || metaKey ? 'tab' : 'here'
}

function open(event: MouseEvent<HTMLElement>): void {
  const opener = event.currentTarget.querySelector<HTMLElement>('[data-opens]')
  const way = wayToOpen(event)
  if (opener === null || way === undefined || !isForRow(event)) return
  if (way === 'tab' && opener instanceof HTMLAnchorElement) window.open(opener.href, '_blank')
  else if (event.button === 0) opener.click()
}

/** For a `<tr>` that holds an element with `data-opens`. */
export const openingRow = {
  'data-opening': true,
  onPointerDown: notePress,
  onClick: open,
  onAuxClick: open,
} as const
