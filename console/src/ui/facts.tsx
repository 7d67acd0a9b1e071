/** A list of names and values. Also what may be read but not changed: text, so that it has full contrast. */
import type { ReactNode } from 'react'
import styles from './facts.module.css'

export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}

/** `note`: a line below the value. */
export function Fact({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {note && <p>{note}</p>}
      </dd>
    </div>
  )
}
