import { type ReactNode, useId } from 'react'
import styles from './section.module.css'

type Props = {
  title: ReactNode
  /** A line or two below the title. */
  description?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

/** A part of a page, on its own card. */
export function Section({ title, description, actions, children }: Props) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <div className={styles.titles}>
          <h2 id={id}>{title}</h2>
          {description !== undefined && <p>{description}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  )
}
