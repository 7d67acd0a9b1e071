import type { ReactNode } from 'react'
import styles from './state.module.css'

type Props = { kind: 'good' | 'busy' | 'warn' | 'fault' | 'off'; children: ReactNode }

/** The state of a user, a webhook, an import or the service: a word after a dot. What something is, is a `Badge`. */
export function State({ kind, children }: Props) {
  return (
    <span className={styles.state} data-kind={kind}>
      {children}
    </span>
  )
}
