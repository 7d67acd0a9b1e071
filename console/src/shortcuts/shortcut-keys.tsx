/** Listens for the keys of all shortcuts, and shows the list of them. */
import { lazy, Suspense, useEffect, useState } from 'react'
import { press, setListOpener } from './shortcuts.ts'
import { areShortcutsOn, isTyped, setPageReady } from './typed-ahead.ts'

const ShortcutList = lazy(() => import('./shortcut-list.tsx'))

export function ShortcutKeys({ isReady }: { isReady: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  useEffect(() => {
    setListOpener(() => {
      setWasOpened(true)
      setIsOpen(true)
    })
    function onKeyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey, altKey, isComposing } = event
      if (ctrlKey || metaKey || altKey || isComposing || event.defaultPrevented || !areShortcutsOn()) return
      if (isTyped(target) || !press(key)) return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => {
      setListOpener(undefined)
      window.removeEventListener('keydown', onKeyDown)
    }
  }, [])
  // After the effects of the page, which register its shortcuts.
  useEffect(() => setPageReady(isReady, press), [isReady])
  if (!wasOpened) return null
  return (
    <Suspense fallback={null}>
      <ShortcutList isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </Suspense>
  )
}
