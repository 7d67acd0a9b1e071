/** The buttons at the end of a row of a table. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Disclosure } from './record-table.tsx'
import styles from './records.module.css'

export function RowActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}

type Props = {
  /** Names the row as well: a screen reader lists the buttons without their rows. */
  label: string
  tone?: 'accent' | 'fault'
  isPending?: boolean
  onClick: () => void
  children: ReactNode
}

export function RowAction({ label, tone = 'accent', isPending = false, onClick, children }: Props) {
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color={`var(--rb-${tone})`}
      loading={isPending}
      aria-label={label}
      onClick={onClick}
    >
      {children}
    </Button>
  )
}

type OpenerProps = { details: Disclosure; label: string; children: ReactNode }

/** Shows the details below its row, as a click anywhere in the row does. */
export function DetailsOpener({ details: { isOpen, id, toggle }, label, children }: OpenerProps) {
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="var(--rb-accent)"
      data-opens
      aria-expanded={isOpen}
      aria-controls={id}
      aria-label={label}
      onClick={toggle}
    >
      {children}
    </Button>
  )
}
