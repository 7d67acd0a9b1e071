import type { ReactNode } from 'react'
import styles from './state.module.css'

type Props = {
  kind: 'good' | 'busy' | 'warn' | 'fault' | 'off'
  /** Takes two lines where one is too short: it holds a name. */
  isLong?: boolean
  children: ReactNode
}

/** The state of a user, a webhook, an import or the service: a word after a dot. What something is, is a `Badge`. */
export function State({ kind, isLong = false, children }: Props) {
  return (
    <span className={styles.state} data-kind={kind} data-long={isLong || undefined}>
      <span className={styles.text}>{children}</span>
    </span>
  )
}
