/** The position in the list, and how to go elsewhere. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { formatNumber } from '../../ui/number.ts'
import { chunkSize } from './chunks.ts'
import styles from './list-foot.module.css'
import { clamp } from './scroll-map.ts'

type Props = {
  /** From 1. */
  first: number
  last: number
  total: number | undefined
  isEstimate: boolean
  page: number | undefined
  /** From 0. */
  onRow: (row: number) => void
  onPage: (page: number) => void
}

export function ListFoot({ first, last, total, isEstimate, page, onRow, onPage }: Props) {
  const { t, i18n } = useLingui()
  const number = (value: number) => formatNumber(value, i18n.locale)
  const of = total === undefined ? '…' : number(total)
  const [from, to] = [number(first), number(last)]
  const pages = Math.max(1, Math.ceil((total ?? 0) / chunkSize))
  return (
    <div className={styles.foot}>
      <p className={styles.place}>
        {total === 0 ? (
          <Trans>No users</Trans>
        ) : isEstimate ? (
          <Trans>
            {from}–{to} of about {of}
          </Trans>
        ) : (
          <Trans>
            {from}–{to} of {of}
          </Trans>
        )}
      </p>
      {page === undefined ? (
        total !== undefined &&
        total > chunkSize && <GoTo label={t`Go to row`} most={total} onGo={(row) => onRow(row - 1)} />
      ) : (
        <nav className={styles.pages} aria-label={t`Pages`}>
          <Step isOff={page <= 1} onPress={() => onPage(1)}>
            <Trans>First</Trans>
          </Step>
          <Step isOff={page <= 1} onPress={() => onPage(page - 1)}>
            <Trans>Previous</Trans>
          </Step>
          <span aria-current="page">
            <Trans>
              Page {number(page)} of {number(pages)}
            </Trans>
          </span>
          <Step isOff={page >= pages} onPress={() => onPage(page + 1)}>
            <Trans>Next</Trans>
          </Step>
          <Step isOff={page >= pages} onPress={() => onPage(pages)}>
            <Trans>Last</Trans>
          </Step>
          {pages > 2 && <GoTo label={t`Go to page`} most={pages} onGo={onPage} />}
        </nav>
      )}
    </div>
  )
}

function Step({ isOff, onPress, children }: { isOff: boolean; onPress: () => void; children: ReactNode }) {
  return (
    // Not `disabled`: the button must keep the focus on the last page.
    <Button
      size="compact-sm"
      variant="default"
      className={styles.step ?? ''}
      aria-disabled={isOff}
      onClick={() => !isOff && onPress()}
    >
      {children}
    </Button>
  )
}

function GoTo({ label, most, onGo }: { label: string; most: number; onGo: (place: number) => void }) {
  const [text, setText] = useState('')
  return (
    <form
      className={styles.go}
      onSubmit={(event) => {
        event.preventDefault()
        const place = Number(text.replaceAll(/\D/g, ''))
        if (place > 0) onGo(clamp(place, 1, most))
        setText('')
      }}
    >
      <label>
        {label}
        <input
          type="text"
          inputMode="numeric"
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </label>
    </form>
  )
}
