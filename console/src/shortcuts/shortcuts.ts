/** Keys for what is done often. Each can be switched off with the rest (WCAG 2.1.4): some people speak to their computer. */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { areShortcutsOn, expectField, storageKey } from './typed-ahead.ts'

export type Shortcut = {
  key: string
  description: string
  /** It leads to a field: what is typed next belongs there. */
  opensField: boolean
  run: () => void
}

const active = new Set<Shortcut>()
const listeners = new Set<() => void>()
let listOpener: (() => void) | undefined

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

/** Says how the list is opened; undefined when it cannot be. */
export function setListOpener(open: (() => void) | undefined): void {
  listOpener = open
}

/** Those that can be used on the page as it is. */
export function activeShortcuts(): Shortcut[] {
  return [...active]
}

/** A key that does something while the component is there, and `isOn`. */
export function useShortcut(
  key: string,
  description: string,
  run: () => void,
  { opensField = false, isOn = true }: { opensField?: boolean; isOn?: boolean } = {},
): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (!isOn) return
    const shortcut = { key, description, opensField, run: () => latest.current() }
    active.add(shortcut)
    return () => {
      active.delete(shortcut)
    }
  }, [key, description, opensField, isOn])
}

/** Runs the shortcut of a key. Returns whether the key has one on this page. */
export function press(key: string): boolean {
  const shortcut =
    key === '?' ? { opensField: false, run: openShortcutList } : [...active].findLast((one) => one.key === key)
  if (shortcut === undefined) return false
  if (shortcut.opensField) expectField()
  shortcut.run()
  return true
}
