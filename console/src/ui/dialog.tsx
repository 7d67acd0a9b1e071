import { Trans, useLingui } from '@lingui/react/macro'
import { Button, CloseButton, Group, Modal } from '@mantine/core'
import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { PageCalls } from '../api/page-calls.ts'
import styles from './dialog.module.css'

/** Content that closing the dialog would lose: typed input, a secret shown once, or running work. */
export type Loss = 'input' | 'secret' | 'work'

type Props = {
  isOpen: boolean
  /** Left out: the dialog cannot be closed until its work is done. */
  onClose?: () => void
  title: string
  /** Escape and a click on the backdrop ask before this is lost. */
  loses?: Loss | undefined
  size?: 'md' | 'lg'
  children: ReactNode
}

// Opens without a transition: with one, the field would exist two frames later and miss the first keys.
const atOnce = { duration: 0 }

export function Dialog({ isOpen, onClose, title, loses, size = 'md', children }: Props) {
  const { t } = useLingui()
  useFocusBack(isOpen)
  const [isAsking, setIsAsking] = useState(false)
  const lastField = useRef<HTMLElement | null>(null)
  const isAsked = isAsking && isOpen && loses !== undefined
  // Focus a text field before the next key arrives: the focus trap waits for a timer.
  const focusFirst = useCallback((body: HTMLElement | null) => {
    body?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    if (!isOpen) setIsAsking(false)
  }, [isOpen])

  function dismiss() {
    if (onClose === undefined) return
    if (loses === undefined) onClose()
    // A second Escape dismisses the question.
    else setIsAsking(!isAsked)
  }
  return (
    // Composed from parts, because the ready-made heading is a landmark, and there would be two.
    <Modal.Root
      opened={isOpen}
      onClose={dismiss}
      size={size}
      transitionProps={atOnce}
      returnFocus={false}
      closeOnEscape={onClose !== undefined}
      closeOnClickOutside={onClose !== undefined}
    >
      <Modal.Overlay />
      <Modal.Content
        className={styles.content ?? ''}
        onFocus={({ target }) => {
          if (!isAsked) lastField.current = target
        }}
      >
        <div className={styles.head}>
          <Modal.Title className={styles.title ?? ''}>{title}</Modal.Title>
          {onClose && (
            <CloseButton
              aria-label={t`Close`}
              // Closing with this button while a secret is shown is deliberate.
              onClick={loses === 'secret' ? onClose : dismiss}
            />
          )}
        </div>
        <Modal.Body>
          <div ref={focusFirst} className={styles.body}>
            <PageCalls value={undefined}>{children}</PageCalls>
          </div>
        </Modal.Body>
        {isAsked && onClose && (
          <Question loss={loses} before={lastField} onKeep={() => setIsAsking(false)} onLose={onClose} />
        )}
      </Modal.Content>
    </Modal.Root>
  )
}

type QuestionProps = {
  loss: Loss
  /** The element that had the focus in the dialog. */
  before: RefObject<HTMLElement | null>
  onKeep: () => void
  onLose: () => void
}

/** Asks at the foot of the dialog, so the typed input stays in view. */
function Question({ loss, before, onKeep, onLose }: QuestionProps) {
  const cancelButton = useRef<HTMLButtonElement>(null)
  const question = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const field = before.current
    cancelButton.current?.focus()
    // The focus trap of a dialog that has just opened may focus its first field after this.
    const timer = setTimeout(() => {
      if (!question.current?.contains(document.activeElement)) cancelButton.current?.focus()
    })
    return () => {
      clearTimeout(timer)
      if (field?.isConnected) field.focus({ preventScroll: true })
    }
  }, [before])
  return (
    <div ref={question} role="alertdialog" aria-labelledby="dialog-question" className={styles.question}>
      <p id="dialog-question">
        {loss === 'input' ? (
          <Trans>Discard what you entered?</Trans>
        ) : loss === 'secret' ? (
          <Trans>Close? This will not be shown again.</Trans>
        ) : (
          <Trans>Stop and close?</Trans>
        )}
      </p>
      <Button variant="default" onClick={onLose}>
        {loss === 'input' ? <Trans>Discard</Trans> : loss === 'secret' ? <Trans>Close</Trans> : <Trans>Stop</Trans>}
      </Button>
      <Button ref={cancelButton} onClick={onKeep}>
        {loss === 'input' ? (
          <Trans>Keep editing</Trans>
        ) : loss === 'secret' ? (
          <Trans>Keep open</Trans>
        ) : (
          <Trans>Continue</Trans>
        )}
      </Button>
    </div>
  )
}

/** A list of effects, before a change that needs confirmation. */
export function Consequences({ children }: { children: ReactNode }) {
  return <ul className={styles.consequences}>{children}</ul>
}

/** The buttons at the end of a dialog. The API button stands apart. */
export function DialogFoot({ aside, children }: { aside?: ReactNode; children: ReactNode }) {
  return (
    <Group gap={8} justify="flex-end" pt={4}>
      <div className={styles.aside}>{aside}</div>
      {children}
    </Group>
  )
}

/** The end of a dialog that shows a secret once. */
export function SavedFoot({ onClose }: { onClose: () => void }) {
  return (
    <DialogFoot>
      <Button onClick={onClose}>
        <Trans>I have saved it</Trans>
      </Button>
    </DialogFoot>
  )
}

/** Where the focus was before the open dialogs, innermost first. */
let around: readonly (Element | null)[] = []

/**
 * Returns the focus to the opener when a dialog closes, or to the heading if the opener is gone. A dialog that takes the place of another
 * returns it to that one's opener.
 */
function useFocusBack(isOpen: boolean): void {
  const openers = useRef(around)
  const wasOpen = useRef(false)
  // During rendering: once the dialog is mounted, its first field has the focus.
  if (isOpen && !wasOpen.current) openers.current = [document.activeElement, ...around]
  wasOpen.current = isOpen
  useEffect(() => {
    if (!isOpen) return
    const outside = around
    around = openers.current
    return () => {
      around = outside
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const place = openers.current.find((opener) => opener?.isConnected && opener !== document.body)
        if (!(place instanceof HTMLElement)) return focusHeading()
        place.focus({ preventScroll: true })
        whenGone(place, focusHeading)
      })
    }
  }, [isOpen])
}

function focusHeading(): void {
  document.querySelector('h1')?.focus({ preventScroll: true })
}

/** The action can remove the opener a moment later, such as the row of a revoked key. */
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
