/** Instants in words, in the reader's language and time zone. The title has the exact one. */
import { useLingui } from '@lingui/react'
import { useEffect, useState } from 'react'
import { formatAgo, formatAt, formatInstant, formatUntil } from './instants.ts'

type Props = { value: string | null; style?: 'date' | 'full' | 'ago' | 'until' | 'at' | 'not before'; never?: string }

export function Instant({ value, style = 'ago', never = '–' }: Props) {
  const { i18n } = useLingui()
  const [, setTick] = useState(0)
  useEffect(() => {
    if (style !== 'until') return
    const timer = setInterval(() => setTick((tick) => tick + 1), 5000)
    return () => clearInterval(timer)
  }, [style])
  if (value === null) return <span>{never}</span>
  const full = formatInstant(value, i18n.locale)
  return (
    <time dateTime={value} title={full}>
      {style === 'ago'
        ? formatAgo(value, i18n.locale)
        : style === 'until'
          ? formatUntil(value, i18n.locale)
          : style === 'at' || style === 'not before'
            ? formatAt(value, i18n.locale, { up: style === 'not before' })
            : style === 'date'
              ? formatInstant(value, i18n.locale, 'date')
              : full}
    </time>
  )
}
