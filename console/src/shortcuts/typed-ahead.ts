/**
 * Keys pressed faster than the page follows. They are kept in order while a page loads, and after a shortcut until its
 * field has the focus; then they are typed there. Keys typed in other fields are left alone.
 */

export const storageKey = 'rollbook-shortcuts'

/** How long keys are kept. After that, the user may no longer mean the same page. */
const patienceMs = 10_000
/** The focus trap of a dialog moves the focus again, by a timer, after the field has it. */
const settleMs = 50
const most = 256
/** Kept only behind other keys: alone they scroll, press buttons and move the focus. */
const otherKeys = new Set([' ', 'Enter', 'Backspace', 'Tab', 'Escape'])
const field = 'input, textarea, select, [contenteditable]'

let bufferedKeys: string[] = []
let isReady = false
let waitsUntil = location.pathname.endsWith('/setup') ? 0 : performance.now() + patienceMs
/** A shortcut was pressed and its field does not have the focus yet. */
let isFieldExpected = false
let settling: ReturnType<typeof setTimeout> | undefined

export function areShortcutsOn(): boolean {
  return localStorage.getItem(storageKey) !== 'off'
}

/** Whether a key pressed there belongs to the element itself. */
export function isTyped(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest(`${field}, [role="dialog"], [role="menu"]`) !== null
}

/** Keeps the next keys for the field that gets the focus. */
export function expectField(): void {
  isFieldExpected = true
  waitsUntil = performance.now() + patienceMs
}

/** Whether a shortcut waits for its field to get the focus. */
export function isFieldAwaited(): boolean {
  return isFieldExpected
}

/** Reports whether the page is ready. Keys pressed before are replayed then. */
export function setPageReady(isNow: boolean, press: (key: string) => boolean): void {
  isReady = isNow
  if (!isNow) {
    waitsUntil = performance.now() + patienceMs
    return
  }
  if (isFieldExpected) return
  if (performance.now() > waitsUntil) bufferedKeys = []
  while (bufferedKeys.length > 0 && !isFieldExpected) press(bufferedKeys.shift() as string)
  // The field may have the focus already.
  if (isFieldExpected) onFocus(document.activeElement)
}

function onKeyDown(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey, isComposing } = event
  if (!isFieldExpected && isReady) return
  if (performance.now() > waitsUntil) {
    forget()
    return
  }
  if (ctrlKey || metaKey || altKey || isComposing || !areShortcutsOn()) return
  if (settling === undefined && isTyped(target)) return
  const isWaiting = isFieldExpected || bufferedKeys.length > 0
  if (!((key.length === 1 && key !== ' ') || (isWaiting && otherKeys.has(key))) || bufferedKeys.length >= most) return
  if (key === 'Tab' && event.shiftKey) return
  bufferedKeys.push(key)
  event.preventDefault()
  event.stopImmediatePropagation()
}

function onFocus(target: EventTarget | null): void {
  if (!isFieldExpected || settling !== undefined) return
  if (!(target instanceof HTMLElement) || !target.matches(field)) return
  if (bufferedKeys.length === 0) {
    forget()
    return
  }
  settling = setTimeout(() => {
    const keys = bufferedKeys
    forget()
    for (const key of keys) type(key)
  }, settleMs)
}

/** Drops the waiting keys, because something else now needs the keyboard. */
export function forget(): void {
  clearTimeout(settling)
  settling = undefined
  isFieldExpected = false
  bufferedKeys = []
}

/** Does what the key does in a field: synthetic key events do nothing. */
function type(key: string): void {
  const target = document.activeElement
  if (!(target instanceof HTMLElement)) return
  // The only way that keeps Undo and fires input events.
  if (key.length === 1) document.execCommand('insertText', false, key)
  else if (key === 'Backspace') document.execCommand('delete')
  else if (key === 'Tab') nextField(target)?.focus()
  else if (key === 'Enter' && target instanceof HTMLInputElement && target.form !== null) target.form.requestSubmit()
  else target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
}

function nextField(from: HTMLElement): HTMLElement | undefined {
  const place = from.closest('[role="dialog"], form') ?? document.body
  const fields = [...place.querySelectorAll<HTMLElement>(field)].filter(
    (one) => one.tabIndex >= 0 && one.checkVisibility(),
  )
  return fields[fields.indexOf(from) + 1]
}

// Before the first render. Capturing, so that a kept key does nothing on the page still shown.
window.addEventListener('keydown', onKeyDown, { capture: true })
// After a click, typing belongs to the place of the click.
window.addEventListener('pointerdown', forget, { capture: true })
window.addEventListener('focusin', ({ target }) => onFocus(target))
