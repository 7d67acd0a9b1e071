import { useRef, useState } from 'react'

export function useDialog() {
  const [isOpen, setIsOpen] = useState(false)
  // Stays mounted after it was opened, so that it can close with its animation.
  const wasOpened = useRef(false)
  if (isOpen) wasOpened.current = true
  return { isOpen, wasOpened: wasOpened.current, open: () => setIsOpen(true), close: () => setIsOpen(false) }
}
