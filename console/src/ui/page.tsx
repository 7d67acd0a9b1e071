import { type ReactNode, useEffect, useRef } from 'react'
import styles from './page.module.css'

type Props = {
  title: string
  /** A line below the title: what the page is about. */
  description?: ReactNode
  /** Buttons at the end of the heading. */
  actions?: ReactNode
  /** A link back to a list, above the title. */
  back?: ReactNode
  /** Fills the window and scrolls inside. */
  isFull?: boolean
  children: ReactNode
}

let isFirst = true

/** A page with its heading. The heading gets the focus on navigation, so that screen readers announce the page. */
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
