/** A chart with its text: total, a chosen day, and the same data as a table. */
import { Trans, useLingui } from '@lingui/react/macro'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { formatNumber } from '../../ui/number.ts'
import type { Series } from './chart.tsx'
import { type Day, formatDay, type Member } from './figures.ts'
import styles from './statistics.module.css'

const Chart = lazy(() => import('./chart.tsx'))

export type Shown = { member: Member; label: string; color: string }

type Props = {
  title: string
  /** The total, or what is shown instead. */
  figure: ReactNode
  /** How the figure compares with the period before. */
  change?: ReactNode
  /** A summary in a sentence. */
  summary: string
  /** Content after the summary. */
  more?: ReactNode
  days: readonly Day[]
  figures: readonly Shown[]
  /** Why a part of it is empty. */
  gap?: string | undefined
}

export function DayChart({ title, figure, change, summary, more, days, figures: shown, gap }: Props) {
  const { t, i18n } = useLingui()
  const { locale } = i18n
  const [picked, setPicked] = useState<number>()
  const dates = useMemo(() => days.map(({ date }) => date), [days])
  const series = useMemo<Series[]>(
    () => shown.map(({ member, label, color }) => ({ label, color, values: days.map((day) => day[member]) })),
    [days, shown],
  )
  const value = useValue()
  const sayDay = (at: number) => {
    const day = days[at]
    if (day === undefined) return ''
    const values = shown.map(({ member, label }) => `${label}: ${value(day, member)}`).join(', ')
    const date = formatDay(day.date, locale)
    return day.complete ? `${date}. ${values}` : t`${date}, until now. ${values}`
  }
  const one = picked === undefined ? undefined : days[picked]
  return (
    <section className={styles.card} aria-label={title}>
      <header className={styles.cardHead}>
        <div>
          <h2>{title}</h2>
          <p className={styles.figure}>{figure}</p>
          <p className={styles.change}>{change}</p>
        </div>
        <ul className={styles.legend} aria-hidden="true">
          {one !== undefined && <li className={styles.day}>{formatDay(one.date, locale)}</li>}
          {shown.map(({ member, label, color }) => (
            <li key={member}>
              <i style={{ background: `var(${color})` }} />
              {label}
              {one !== undefined && <strong>{value(one, member)}</strong>}
            </li>
          ))}
        </ul>
      </header>
      <Suspense fallback={<div className={styles.chart} data-waiting />}>
        <Chart
          dates={dates}
          series={series}
          label={`${title}. ${summary}`}
          openDay={days.findIndex(({ complete }) => !complete)}
          picked={picked}
          onPick={setPicked}
          sayDay={sayDay}
        />
      </Suspense>
      <p className={styles.note}>
        {summary} {more}
        {gap !== undefined && ` ${gap}`}
      </p>
      <details className={styles.table}>
        <summary>
          <Trans>Show as table</Trans>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable with the keyboard. */}
        <section className={styles.scroll} tabIndex={0} aria-label={t`${title} as a table`}>
          <DayTable caption={`${title}. ${summary}`} days={days} figures={shown} />
        </section>
      </details>
    </section>
  )
}

type TableProps = { caption: string; days: readonly Day[]; figures: readonly Shown[] }

function DayTable({ caption, days, figures }: TableProps) {
  const { i18n } = useLingui()
  const value = useValue()
  return (
    <table>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Day (UTC)</Trans>
          </th>
          {figures.map(({ member, label }) => (
            <th key={member} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[...days].reverse().map((day) => (
          <tr key={day.date}>
            <th scope="row">
              <time dateTime={day.date}>{formatDay(day.date, i18n.locale)}</time>
              {!day.complete && (
                <>
                  {' '}
                  <span className={styles.quiet}>
                    <Trans>until now</Trans>
                  </span>
                </>
              )}
            </th>
            {figures.map(({ member }) => (
              <td key={member} data-missing={day[member] === null || undefined}>
                {value(day, member)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Returns the words for the figure of a day. */
function useValue(): (day: Day, member: Member) => string {
  const { t, i18n } = useLingui()
  return (day, member) => {
    const count = day[member]
    return count === null ? t`not counted` : formatNumber(count, i18n.locale)
  }
}
