import { useLingui } from '@lingui/react/macro'
import { Modal } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import styles from './dialog.module.css'

type Props = {
  isOpen: boolean
  /** Left out: it stays until what it asks for is done. */
  onClose?: () => void
  title: string
  /** Closing by Escape or by a click beside it would lose something. */
  isKept?: boolean
  size?: 'md' | 'lg'
  children: ReactNode
}

export function Dialog({ isOpen, onClose, title, isKept = false, size = 'md', children }: Props) {
  const { t } = useLingui()
  useFocusBack()
  return (
    // In parts, because the ready-made heading is a landmark, of which there would be two.
    <Modal.Root
      opened={isOpen}
      onClose={() => onClose?.()}
      size={size}
      closeOnEscape={!isKept}
      closeOnClickOutside={!isKept}
    >
      <Modal.Overlay />
      <Modal.Content className={styles.content ?? ''}>
        <div className={styles.head}>
          <Modal.Title className={styles.title ?? ''}>{title}</Modal.Title>
          {onClose && <Modal.CloseButton aria-label={t`Close`} />}
        </div>
        <Modal.Body>
          <div className={styles.body}>{children}</div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** The buttons at the end of a dialog: what leads to the API stands apart. */
export function DialogFoot({ aside, children }: { aside?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.foot}>
      <div className={styles.aside}>{aside}</div>
      {children}
    </div>
  )
}

/** A dialog that is taken away as a whole leaves the focus where it was opened, or at the heading when that is gone too. */
function useFocusBack(): void {
  useEffect(() => {
    const opener = document.activeElement
    return () => {
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const place =
          opener instanceof HTMLElement && opener.isConnected && opener !== document.body ? opener : undefined
        if (place === undefined) return focusHeading()
        place.focus({ preventScroll: true })
        whenGone(place, focusHeading)
      })
    }
  }, [])
}

function focusHeading(): void {
  document.querySelector('h1')?.focus({ preventScroll: true })
}

/** What was done in a dialog can take its opener away a moment later: the row of a key that is revoked. */
function whenGone(place: HTMLElement, then: () => void): void {
  const observer = new MutationObserver(() => {
    if (place.isConnected) return
    stop()
    if (document.activeElement === document.body) then()
  })
  const stop = () => {
    observer.disconnect()
    document.removeEventListener('focusin', stop)
  }
  observer.observe(document.body, { childList: true, subtree: true })
  document.addEventListener('focusin', stop)
}
