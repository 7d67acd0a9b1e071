/** Keys for what is done often. Each can be switched off with the rest (WCAG 2.1.4): some people speak to their computer. */
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'

export type Shortcut = { key: string; description: string; run: () => void }

const ShortcutList = lazy(() => import('./shortcut-list.tsx'))
const storageKey = 'rollbook-shortcuts'
const active = new Set<Shortcut>()
const listeners = new Set<() => void>()
let listOpener: (() => void) | undefined

export function areShortcutsOn(): boolean {
  return localStorage.getItem(storageKey) !== 'off'
}

export function switchShortcuts(isOn: boolean): void {
  localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  for (const listener of listeners) listener()
}

export function useShortcutsOn(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, areShortcutsOn)
}

export function openShortcutList(): void {
  listOpener?.()
}

/** Those that can be used on the page as it is. */
export function activeShortcuts(): Shortcut[] {
  return [...active]
}

/** A key that does something while the component is there. */
export function useShortcut(key: string, description: string, run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const shortcut = { key, description, run: () => latest.current() }
    active.add(shortcut)
    return () => {
      active.delete(shortcut)
    }
  }, [key, description])
}

export function ShortcutKeys() {
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  useEffect(() => {
    const open = () => {
      setWasOpened(true)
      setIsOpen(true)
    }
    listOpener = open
    function onKeyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey, altKey, isComposing } = event
      if (ctrlKey || metaKey || altKey || isComposing || event.defaultPrevented || !areShortcutsOn()) return
      if (
        target instanceof HTMLElement &&
        target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]')
      )
        return
      const shortcut = key === '?' ? { run: open } : [...active].findLast((one) => one.key === key)
      if (shortcut === undefined) return
      event.preventDefault()
      shortcut.run()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => {
      listOpener = undefined
      window.removeEventListener('keydown', onKeyDown)
    }
  }, [])
  if (!wasOpened) return null
  return (
    <Suspense fallback={null}>
      <ShortcutList isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </Suspense>
  )
}
