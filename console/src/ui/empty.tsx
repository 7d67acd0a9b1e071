/** The place of a list that has no records yet, with the way to the first one. */
import type { ReactNode } from 'react'
import styles from './empty.module.css'

export function Empty({ title, children }: { title?: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.empty} role="status">
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  )
}
