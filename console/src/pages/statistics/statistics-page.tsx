import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { Statistics } from 'rollbook/client'
import type { UsersSearch } from '../../data/search/users.ts'
import { statisticsQuery, statisticsRequest } from '../../data/statistics.ts'
import { Page } from '../../layout/page.tsx'
import { formatNumber, formatPercent, formatShare } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
import { Active, Role } from '../../ui/user-state.tsx'
import { DayChart, type Shown } from './day-chart.tsx'
import { type Change, changeOf, type Figures, figuresOf, formatDay, type Member, ranges } from './figures.ts'
import styles from './statistics.module.css'

export default function StatisticsPage() {
  const { t } = useLingui()
  const { days = 30 } = useSearch({ from: '/shell/statistics' })
  const { data, error, refetch, isPlaceholderData } = useQuery(statisticsQuery(days))
  return (
    <Page
      title={t`Statistics`}
      description={t`Sign-ups, sign-ins and active users for each day in UTC. Today is incomplete.`}
      calls={[{ operation: 'GET /statistics', query: statisticsRequest(days) }]}
      actions={
        <nav className={styles.ranges} aria-label={t`Days shown`}>
          {ranges.map((range) => (
            <Link
              key={range}
              to="/statistics"
              search={range === 30 ? {} : { days: range }}
              replace
              resetScroll={false}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              <Plural value={range} one="# day" other="# days" />
            </Link>
          ))}
        </nav>
      }
    >
      {error !== null && (
        <Problem error={error} retry={() => void refetch()} title={t`Could not load the statistics.`} />
      )}
      {data !== undefined ? (
        <div className={styles.content} aria-busy={isPlaceholderData}>
          <Totals totals={data.totals} at={data.generated_at} />
          <Charts both={data.days} />
        </div>
      ) : (
        error === null && <Skeletons />
      )}
    </Page>
  )
}

function Totals({ totals, at }: { totals: Statistics['totals']; at: string }) {
  const { t } = useLingui()
  const { users, active, inactive, with_password, without_password, never_signed_in, with_factor } = totals
  const { expired, service_accounts, groups, in_groups, roles } = totals
  return (
    <section className={styles.totals} aria-label={t`Users in total`}>
      <ul className={styles.tiles}>
        <Tile label={t`Users`} count={users} search={{}} />
        <Tile label={<Active active />} count={active} search={expired > 0 ? { state: 'active' } : { active: true }} />
        <Tile label={<Active active={false} />} count={inactive} search={{ active: false }} />
        {expired > 0 && (
          <Tile label={<State kind="off">{t`Expired`}</State>} count={expired} search={{ state: 'expired' }} />
        )}
        <Tile label={t`With password`} count={with_password} search={{ has_password: true }} />
        <Tile label={t`No password`} count={without_password} search={{ has_password: false, kind: 'person' }} />
        <Tile label={t`Never signed in`} count={never_signed_in} search={{ has_signed_in: false, kind: 'person' }} />
        {service_accounts > 0 && (
          <Tile label={t`Service accounts`} count={service_accounts} search={{ kind: 'service' }} />
        )}
        <PlainTile label={t`Second factor`} count={with_factor} of={users - service_accounts} />
        <PlainTile label={t`In a group`} count={in_groups} />
        <PlainTile label={t`Groups`} count={groups} />
      </ul>
      <div className={styles.card}>
        <header className={styles.cardHead}>
          <h2>
            <Trans>By role</Trans>
          </h2>
          <p className={styles.quiet}>
            <Trans>
              As of <Instant value={at} />
            </Trans>
          </p>
        </header>
        <ul className={styles.roles}>
          {roles.map(({ role, users: count }) => (
            <li key={role}>
              <Link to="/users" search={{ role }}>
                <Role role={role} />
              </Link>
              <span className={styles.share} data-bar aria-hidden="true">
                <i
                  style={{ inlineSize: `${users === 0 ? 0 : Math.max(count > 0 ? 0.6 : 0, (count / users) * 100)}%` }}
                />
              </span>
              <Count value={count} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

function Tile({ label, count, search }: { label: ReactNode; count: number; search: UsersSearch }) {
  return (
    <li>
      <Link to="/users" search={search} className={styles.tile ?? ''}>
        <span className={styles.quiet}>{label}</span>
        <strong>
          <Count value={count} />
        </strong>
      </Link>
    </li>
  )
}

/** A figure without a list behind it. `of`: what the share is taken of. */
function PlainTile({ label, count, of = 0 }: { label: ReactNode; count: number; of?: number }) {
  const { i18n } = useLingui()
  return (
    <li className={styles.tile}>
      <span className={styles.quiet}>{label}</span>
      <strong>
        <Count value={count} />
        {of > 0 && <small> ({formatPercent(count / of, i18n.locale)})</small>}
      </strong>
    </li>
  )
}

function Count({ value }: { value: number }) {
  const { i18n } = useLingui()
  return <>{formatNumber(value, i18n.locale)}</>
}

function Charts({ both }: { both: Statistics['days'] }) {
  const { t } = useLingui()
  const days = useMemo(() => both.slice(-Math.floor(both.length / 2)), [both])
  // Without today, which would make every figure smaller than before.
  const [complete, before] = [both.slice(days.length, -1), both.slice(0, days.length)]
  const signUps = useMemo<Shown[]>(() => [{ member: 'sign_ups', label: t`Sign-ups`, color: '--rb-chart' }], [t])
  const signIns = useMemo<Shown[]>(
    () => [
      { member: 'sign_ins', label: t`Signed in`, color: '--rb-chart' },
      { member: 'failed_sign_ins', label: t`Refused`, color: '--rb-chart-second' },
    ],
    [t],
  )
  const activeUsers = useMemo<Shown[]>(
    () => [{ member: 'active_users', label: t`Active users`, color: '--rb-chart' }],
    [t],
  )
  const say = useSayings()
  const [ups, ins, refused, present] = (['sign_ups', 'sign_ins', 'failed_sign_ins', 'active_users'] as const).map(
    (member) => figuresOf(days, member),
  ) as [Figures, Figures, Figures, Figures]
  const change = (member: Member, figure: 'total' | 'mean' = 'total') => (
    <ChangeLine change={changeOf(before, complete, member, figure)} days={days.length} figure={figure} />
  )
  return (
    <>
      <DayChart
        title={t`Sign-ups`}
        figure={<Count value={ups.total} />}
        change={change('sign_ups')}
        summary={say.total(t`sign-ups`, ups, days.length)}
        gap={say.gap(ups)}
        days={days}
        figures={signUps}
      />
      <DayChart
        title={t`Sign-ins`}
        figure={<Count value={ins.total} />}
        change={change('sign_ins')}
        summary={`${say.total(t`sign-ins`, ins, days.length)} ${say.refused(refused)}`}
        more={change('failed_sign_ins')}
        gap={say.gap(ins)}
        days={days}
        figures={signIns}
      />
      <DayChart
        title={t`Active users`}
        figure={
          present.mean === undefined ? (
            '–'
          ) : (
            <>
              <Count value={present.mean} />{' '}
              <small>
                <Trans>a day</Trans>
              </small>
            </>
          )
        }
        change={change('active_users', 'mean')}
        summary={say.present(present)}
        gap={say.gap(present)}
        days={days}
        figures={activeUsers}
      />
    </>
  )
}

type ChangeLineProps = { change: Change | undefined; days: number; figure: 'total' | 'mean' }

/** The change from the previous period, with its sign and in words. */
function ChangeLine({ change, days, figure }: ChangeLineProps) {
  const { i18n } = useLingui()
  if (change === undefined) return null
  const count = formatNumber(Math.abs(change.by), i18n.locale)
  if (change.by === 0) return <Trans>As many as in the {days} days before, without today</Trans>
  const share = formatShare(change.share, i18n.locale)
  if (figure === 'mean')
    return change.by > 0 ? (
      <Trans>
        <strong>{share}</strong>: {count} more a day than in the {days} days before, without today
      </Trans>
    ) : (
      <Trans>
        <strong>{share}</strong>: {count} fewer a day than in the {days} days before, without today
      </Trans>
    )
  return change.by > 0 ? (
    <Trans>
      <strong>{share}</strong>: {count} more than in the {days} days before, without today
    </Trans>
  ) : (
    <Trans>
      <strong>{share}</strong>: {count} fewer than in the {days} days before, without today
    </Trans>
  )
}

/** The sentences below the charts, which screen readers also read. */
function useSayings() {
  const { t, i18n } = useLingui()
  const { locale } = i18n
  const number = (value: number) => formatNumber(value, locale)
  return {
    total(what: string, { total, peak }: Figures, days: number) {
      const count = number(total)
      if (peak === undefined) return t`No ${what} in ${days} days.`
      const most = number(peak.count)
      const date = formatDay(peak.date, locale)
      return t`${count} ${what} in ${days} days, most on ${date} (${most}).`
    },
    refused({ total }: Figures) {
      const count = number(total)
      return t`${count} were refused.`
    },
    present({ mean, peak }: Figures) {
      if (peak === undefined) return t`No active users on these days.`
      const most = number(peak.count)
      const date = formatDay(peak.date, locale)
      if (mean === undefined) return t`Most on ${date} (${most}).`
      const average = number(mean)
      return t`${average} different users on an average day, most on ${date} (${most}).`
    },
    gap({ countedFrom }: Figures) {
      if (countedFrom === undefined) return undefined
      if (countedFrom === null) return t`Not counted on these days.`
      const date = formatDay(countedFrom, locale)
      return t`Not counted before ${date}.`
    },
  }
}

function Skeletons() {
  const { t } = useLingui()
  return (
    <div className={styles.content} role="status" aria-label={t`Loading`}>
      <div className={styles.tiles}>
        {[1, 2, 3, 4, 5, 6].map((tile) => (
          <i key={tile} className={styles.waitingTile} />
        ))}
      </div>
      {[1, 2, 3].map((card) => (
        <i key={card} className={styles.waitingCard} />
      ))}
    </div>
  )
}
