/** The progress of a long operation. */

import { useLingui } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatPercent } from './number.ts'
import styles from './progress-bar.module.css'

type Props = {
  label: string
  done: number
  /** Undefined while unknown. */
  total: number | undefined
  /** Words below the bar: how much, how fast, how long. */
  children?: ReactNode
  isPaused?: boolean
}

export function ProgressBar({ label, done, total, children, isPaused = false }: Props) {
  const { i18n } = useLingui()
  const share = total === undefined ? undefined : total === 0 ? 1 : Math.min(1, done / total)
  const percent = share === undefined ? undefined : Math.floor(share * 100)
  return (
    <Stack gap={8}>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(percent !== undefined && { 'aria-valuenow': percent })}
        className={styles.bar}
        data-bar
        data-unknown={share === undefined}
        data-paused={isPaused}
      >
        <i key={share === undefined ? 'unknown' : 'known'} style={{ inlineSize: `${(share ?? 0.3) * 100}%` }} />
      </div>
      <div className={styles.words}>
        {percent !== undefined && <strong>{formatPercent(percent / 100, i18n.locale)}</strong>}
        {children}
      </div>
    </Stack>
  )
}
