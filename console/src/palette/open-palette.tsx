/** Opens the command palette with Ctrl+K or ⌘K. Its code is loaded when it is opened for the first time. */
import { lazy, Suspense, useEffect, useState } from 'react'
import type { Me } from 'rollbook/client'
import { expectField } from '../shortcuts/typed-ahead.ts'

const Palette = lazy(() => import('./palette.tsx'))

let opener: (() => void) | undefined

export function openPalette(): void {
  // Keep what the user types until the field exists.
  expectField()
  opener?.()
}

export function PaletteKeys({ me }: { me: Me }) {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    opener = () => setIsOpen(true)
    function onKeyDown(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event
      if (key.toLowerCase() !== 'k' || ctrlKey === metaKey || altKey || shiftKey || isComposing) return
      event.preventDefault()
      // A dialog may hold typed input, so it is not left this way.
      if (document.querySelector('[aria-modal="true"], dialog[open]') === null) openPalette()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => {
      opener = undefined
      window.removeEventListener('keydown', onKeyDown)
    }
  }, [])
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette me={me} onClose={() => setIsOpen(false)} />
    </Suspense>
  )
}
