import { type ReactNode, useEffect, useRef } from 'react'
import styles from './page.module.css'

type Props = {
  title: string
  /** Beside the title: what it is about, in a line. */
  description?: ReactNode
  /** Buttons at the end of the heading. */
  actions?: ReactNode
  /** Above the title, where it leads back to a list. */
  back?: ReactNode
  /** Fills the window, and scrolls inside. */
  isFull?: boolean
  children: ReactNode
}

let isFirst = true

/** A page with its heading, which gets the focus when one goes there, so that a screen reader says where one is. */
export function Page({ title, description, actions, back, isFull = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Rollbook`
  }, [title])
  useEffect(() => {
    if (isFirst) isFirst = false
    else if (document.activeElement === null || document.activeElement === document.body || isNavigation())
      heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={isFull ? styles.full : styles.page}>
      <header className={styles.head}>
        <div className={styles.titles}>
          {back}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description !== undefined && <p className={styles.description}>{description}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

function isNavigation(): boolean {
  return document.activeElement?.closest('#navigation') !== null
}
