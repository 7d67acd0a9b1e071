import type { ReactNode } from 'react'
import styles from './badge.module.css'

type Props = { kind?: 'plain' | 'good' | 'warn' | 'fault' | 'accent'; title?: string; children: ReactNode }

export function Badge({ kind = 'plain', title, children }: Props) {
  return (
    <span className={styles.badge} data-kind={kind} title={title}>
      {children}
    </span>
  )
}
