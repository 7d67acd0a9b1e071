/** Short messages at the edge of the page. A message with an action stays until it is dismissed. */
import { useLingui } from '@lingui/react/macro'
import { CloseButton } from '@mantine/core'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import styles from './toasts.module.css'

type Toast = {
  message: ReactNode
  kind?: 'done' | 'fault'
  /** A button, such as Undo. Pressing it closes the toast. */
  action?: { label: string; onClick: () => void }
}

type Shown = Toast & { id: number }

let visibleToasts: readonly Shown[] = []
let lastId = 0
const listeners = new Set<() => void>()
const shownMs = 6000

function set(next: readonly Shown[]): void {
  visibleToasts = next
  for (const listener of listeners) listener()
}

export function showToast(toast: Toast): void {
  lastId += 1
  set([...visibleToasts, { ...toast, id: lastId }].slice(-3))
}

function dismiss(id: number): void {
  set(visibleToasts.filter((toast) => toast.id !== id))
}

export function Toasts() {
  const { t } = useLingui()
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => visibleToasts,
  )
  return (
    <section className={styles.toasts} aria-label={t`Notifications`} aria-live="polite">
      {toasts.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function OneToast({ toast: { id, message, kind = 'done', action } }: { toast: Shown }) {
  const { t } = useLingui()
  const stays = action !== undefined || kind === 'fault'
  useEffect(() => {
    if (stays) return
    const timer = setTimeout(() => dismiss(id), shownMs)
    return () => clearTimeout(timer)
  }, [id, stays])
  return (
    <div className={styles.toast} data-kind={kind}>
      <div className={styles.message}>{message}</div>
      {action && (
        <button
          type="button"
          className={styles.action}
          onClick={() => {
            dismiss(id)
            action.onClick()
          }}
        >
          {action.label}
        </button>
      )}
      <CloseButton variant="transparent" className={styles.close} aria-label={t`Dismiss`} onClick={() => dismiss(id)} />
    </div>
  )
}
