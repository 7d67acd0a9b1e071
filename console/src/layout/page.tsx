import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { ApiCall } from '../api/call.ts'
import { can, type Owned, ownOrganizationOf, useMe } from '../api/me.ts'
import { type AddCalls, joinCalls, PageCalls } from '../api/page-calls.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { environmentName, productName } from '../lib/page-names.ts'
import { scopablePermissions } from '../lib/permission-groups.ts'
import { Needs } from '../ui/missing-permission.tsx'
import styles from './page.module.css'

type Props = {
  title: string
  /** A line below the title: what the page is about. */
  description?: ReactNode
  /** The requests that the API button shows, before those of the parts of the page. */
  calls?: readonly ApiCall[]
  /** The permissions to change what the page shows. A note says which of them are missing. */
  changes?: readonly [string, ...string[]]
  /** What the page shows, if it is one user, group or connection: a limited permission may not reach it. */
  of?: Owned | undefined
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
export function Page({ title, description, calls = [], changes, of, actions, back, isFull = false, children }: Props) {
  const [parts, setParts] = useState<ReadonlyMap<string, readonly ApiCall[]>>(new Map())
  const add = useCallback<AddCalls>(
    (part, added) =>
      setParts((before) => {
        const next = new Map(before)
        if (added === undefined) next.delete(part)
        else next.set(part, added)
        return next
      }),
    [],
  )
  const allCalls = joinCalls([...calls, ...[...parts.values()].flat()])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = [title, productName, environmentName].filter(Boolean).join(' · ')
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
        {(actions !== undefined || allCalls.length > 0) && (
          <div className={styles.actions}>
            {allCalls.length > 0 && <ApiCallButton calls={allCalls} />}
            {actions}
          </div>
        )}
      </header>
      {changes !== undefined && <ReadOnlyNote changes={changes} of={of} />}
      <PageCalls value={add}>{children}</PageCalls>
    </div>
  )
}

/** Left out where the page cannot be read either, which the page says itself. */
function ReadOnlyNote({ changes, of }: { changes: readonly [string, ...string[]]; of: Owned | undefined }) {
  const me = useMe()
  const reading = changes[0].replace(/:.*/, ':read')
  // An administrator of an organization cannot have what is only for the whole service.
  const isOutOfReach = ownOrganizationOf(me) !== undefined && !scopablePermissions.has(changes[0])
  return can(me, reading) && !isOutOfReach && <Needs permissions={changes} of={of} />
}

function isNavigation(): boolean {
  return document.activeElement?.closest('#navigation') !== null
}
