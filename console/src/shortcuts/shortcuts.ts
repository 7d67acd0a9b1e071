/** Single-key shortcuts. Users can switch them off (WCAG 2.1.4), as speech input would trigger them. */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { areShortcutsOn, expectField, storageKey } from './typed-ahead.ts'

type Shortcut = {
  key: string
  description: string
  /** It opens a field, which gets the keys typed next. */
  opensField: boolean
  run: () => void
}

const active = new Set<Shortcut>()
const listeners = new Set<() => void>()
/** A key for the next page. */
let awaited: { key: string; until: number } | undefined
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

/** Sets what opens the list. */
export function setListOpener(open: (() => void) | undefined): void {
  listOpener = open
}

/** The shortcuts of the current page. */
export function activeShortcuts(): Shortcut[] {
  return [...active]
}

/** Registers a shortcut while the component is mounted and `isOn`. */
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
    if (awaited?.key === key && performance.now() < awaited.until) {
      awaited = undefined
      start(shortcut)
    }
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
  start(shortcut)
  return true
}

function start({ opensField, run }: Pick<Shortcut, 'opensField' | 'run'>): void {
  if (opensField) expectField()
  run()
}

/** Presses a key on the page that is about to open, once it has a shortcut for it. */
export function pressThere(key: string): void {
  awaited = { key, until: performance.now() + 10_000 }
}
