import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import type { AuditRecord } from 'rollbook/client'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { IconExport, IconShield } from '../ui/icons.tsx'
import { formatInstant } from '../ui/instants.ts'
import { Page } from '../ui/page.tsx'
import { Records } from '../ui/records.tsx'
import { recordWords } from './action-words.ts'
import styles from './audit.module.css'
import { byDay } from './days.ts'
import { Filters } from './filters.tsx'
import { auditQuery, auditRequest } from './queries.ts'
import { type AuditSearch, isFiltered } from './search.ts'
import { nameOfActor, nameOfTarget } from './who.ts'

const RecordDrawer = lazy(() => import('./record-drawer.tsx'))
const ExportDialog = lazy(() => import('./export-dialog.tsx'))
const ProofDialog = lazy(() => import('./proof-dialog.tsx'))

export default function AuditPage() {
  const { t } = useLingui()
  const search = useSearch({ from: '/shell/audit' })
  const navigate = useNavigate()
  const canRead = useCan('audit:read')
  const [open, setOpen] = useState<'export' | 'proof'>()
  const [shown, setShown] = useState<AuditRecord>()
  const [isShown, setIsShown] = useState(false)
  const opener = useRef<Element>(null)
  const query = useInfiniteQuery({ ...auditQuery(search), enabled: canRead })
  const { data, refetch, hasNextPage, isFetchingNextPage, isFetching } = query
  const records = useMemo(() => data?.pages.flatMap((page) => page.records), [data])
  const go = (next: AuditSearch) => {
    const kept = Object.entries(next).filter(([, value]) => value !== undefined)
    void navigate({ to: '/audit', search: Object.fromEntries(kept), resetScroll: false })
  }
  if (!canRead) {
    return (
      <Page title={t`Audit`}>
        <p>
          <Trans>
            To read the audit, your role needs the permission <code>audit:read</code>.
          </Trans>
        </p>
      </Page>
    )
  }
  return (
    <Page
      title={t`Audit`}
      description={t`Who did what, when and from where: every change, sign-in and refused request.`}
      actions={
        <>
          <ApiCallButton calls={[{ operation: 'GET /audit', query: auditRequest(search) }]} />
          <Button variant="default" leftSection={<IconShield />} onClick={() => setOpen('proof')}>
            <Trans>Verify integrity</Trans>
          </Button>
          <Button variant="default" leftSection={<IconExport />} onClick={() => setOpen('export')}>
            <Trans>Export</Trans>
          </Button>
        </>
      }
    >
      <Filters search={search} onChange={go} />
      <Records
        source={query}
        rows={records}
        problem={t`The audit could not be read.`}
        waiting={<Skeletons />}
        empty={
          <div className={styles.empty}>
            <p>
              <Trans>No records match.</Trans>
            </p>
            {isFiltered(search) && (
              <Button variant="default" onClick={() => go({})}>
                <Trans>Remove all filters</Trans>
              </Button>
            )}
          </div>
        }
        more={{
          label: search.sort === 'seq' ? <Trans>Show newer records</Trans> : <Trans>Show older records</Trans>,
          className: styles.more,
        }}
      >
        {(rows) => (
          <>
            <div className={styles.bar}>
              <p role="status">
                {hasNextPage ? (
                  <Plural
                    value={rows.length}
                    one="# record, and there are more"
                    other="# records, and there are more"
                  />
                ) : (
                  <Plural value={rows.length} one="# record" other="# records" />
                )}
              </p>
              <Button
                size="xs"
                variant="default"
                onClick={() => void refetch()}
                loading={isFetching && !isFetchingNextPage}
              >
                <Trans>Refresh</Trans>
              </Button>
            </div>
            <Days
              records={rows}
              onOpen={(record) => {
                opener.current = document.activeElement
                setShown(record)
                setIsShown(true)
              }}
            />
          </>
        )}
      </Records>
      <Suspense fallback={null}>
        {shown && (
          <RecordDrawer
            record={shown}
            isOpen={isShown}
            onClose={() => setIsShown(false)}
            onClosed={() => focusAgain(opener.current)}
            onFilter={(filter) => {
              setIsShown(false)
              go({ ...(search.sort && { sort: search.sort }), ...filter })
            }}
          />
        )}
        {open === 'export' && <ExportDialog search={search} onClose={() => setOpen(undefined)} />}
        {open === 'proof' && <ProofDialog onClose={() => setOpen(undefined)} />}
      </Suspense>
    </Page>
  )
}

/** Focuses the row again, or the heading if other records are shown by now. */
function focusAgain(opener: Element | null): void {
  const place = opener?.isConnected ? opener : document.querySelector('h1')
  if (place instanceof HTMLElement) place.focus({ preventScroll: true })
}

function Days({ records, onOpen }: { records: readonly AuditRecord[]; onOpen: (record: AuditRecord) => void }) {
  const { t, i18n } = useLingui()
  const days = useMemo(() => byDay(records), [records])
  const day = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'full' })
  const time = new Intl.DateTimeFormat(i18n.locale, { timeStyle: 'medium' })
  return (
    <div className={styles.days}>
      {days.map(({ day: date, records: ofDay }) => (
        <section key={`${date} ${ofDay[0]?.seq}`} aria-label={day.format(new Date(`${date}T12:00`))}>
          <h2>{day.format(new Date(`${date}T12:00`))}</h2>
          <ul className={styles.records}>
            {ofDay.map((record) => {
              const words = recordWords(record)
              const target = nameOfTarget(record)
              return (
                <li key={record.seq}>
                  <button type="button" aria-haspopup="dialog" onClick={() => onOpen(record)}>
                    <time dateTime={record.occurred_at} title={formatInstant(record.occurred_at, i18n.locale)}>
                      {time.format(new Date(record.occurred_at))}
                    </time>
                    <span className={styles.what}>
                      <span data-outcome={record.outcome}>
                        {words === undefined ? <code dir="ltr">{record.action}</code> : i18n._(words)}
                      </span>
                      {target !== undefined && <strong>{target}</strong>}
                      <Members record={record} />
                    </span>
                    <span className={styles.who}>
                      <span className="visually-hidden">{t`by`} </span>
                      {nameOfActor(record) ?? t`Not signed in`}
                    </span>
                    <span className={styles.from} dir="ltr">
                      {record.address ?? ''}
                    </span>
                  </button>
                </li>
              )
            })}
          </ul>
        </section>
      ))}
    </div>
  )
}

/** The changed members, or the reason of a failure. */
function Members({ record: { changes, outcome, code, details, action } }: { record: AuditRecord }) {
  const reason = details?.reason
  if (outcome !== 'success') {
    return <code dir="ltr">{typeof reason === 'string' ? reason : (code ?? outcome)}</code>
  }
  // A created record lists every member.
  if (changes === null || action.endsWith('.created')) return null
  const members = Object.keys(changes)
  if (members.length === 0) return null
  return (
    <code dir="ltr">
      {members.slice(0, 4).join(', ')}
      {members.length > 4 && ' …'}
    </code>
  )
}

function Skeletons() {
  const { t } = useLingui()
  return (
    <div className={styles.waiting} role="status" aria-label={t`Loading`}>
      {[1, 2, 3, 4, 5, 6, 7, 8].map((row) => (
        <i key={row} />
      ))}
    </div>
  )
}
