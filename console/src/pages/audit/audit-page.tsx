import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useId, useMemo, useRef, useState } from 'react'
import type { AuditRecord } from 'rollbook/client'
import { useCan, useCanEverywhere } from '../../api/me.ts'
import { auditQuery, auditRequest } from '../../data/audit.ts'
import { type AuditSearch, isFiltered } from '../../data/search/audit.ts'
import { Page } from '../../layout/page.tsx'
import { MemberName } from '../../parts/audit/member-name.tsx'
import { useRecordWords } from '../../parts/audit/record-words.ts'
import runStyles from '../../parts/audit/runs.module.css'
import { type Run, runsOf } from '../../parts/audit/runs.ts'
import { IconDown, IconExport, IconShield } from '../../ui/icons.tsx'
import { formatInstant } from '../../ui/instants.ts'
import { Needs } from '../../ui/missing-permission.tsx'
import { Records } from '../../ui/records.tsx'
import { AuditValue } from '../../ui/user-state.tsx'
import styles from './audit.module.css'
import { byDay } from './days.ts'
import { Filters } from './filters.tsx'
import { changesOf } from './values.ts'
import { nameOfTarget } from './who.ts'

const RecordDrawer = lazy(() => import('./record-drawer.tsx'))
const ExportDialog = lazy(() => import('./export-dialog.tsx'))
const ProofDialog = lazy(() => import('./proof-dialog.tsx'))

export default function AuditPage() {
  const { t } = useLingui()
  const search = useSearch({ from: '/shell/audit' })
  const navigate = useNavigate()
  const canRead = useCan('audit:read')
  const isOfAll = useCanEverywhere('audit:read')
  const [open, setOpen] = useState<'export' | 'proof'>()
  const [selected, setSelected] = useState<AuditRecord>()
  const [isShown, setIsShown] = useState(false)
  const opener = useRef<Element>(null)
  const query = useInfiniteQuery({ ...auditQuery(search), enabled: canRead })
  const { data, refetch, hasNextPage, isFetchingNextPage, isFetching } = query
  const records = useMemo(() => data?.pages.flatMap((page) => page.records), [data])
  const go = (next: AuditSearch) => {
    const parameters = Object.entries(next).filter(([, value]) => value !== undefined)
    void navigate({ to: '/audit', search: Object.fromEntries(parameters), resetScroll: false })
  }
  if (!canRead) {
    return (
      <Page title={t`Audit`}>
        <Needs permissions={['audit:read']} />
      </Page>
    )
  }
  return (
    <Page
      title={t`Audit`}
      description={t`Who did what, when and from where: every change, sign-in and refused request.`}
      calls={[{ operation: 'GET /audit', query: auditRequest(search) }]}
      actions={
        <>
          {isOfAll && (
            <Button variant="default" leftSection={<IconShield />} onClick={() => setOpen('proof')}>
              <Trans>Verify integrity</Trans>
            </Button>
          )}
          <Button variant="default" leftSection={<IconExport />} onClick={() => setOpen('export')}>
            <Trans>Export audit</Trans>
          </Button>
        </>
      }
    >
      <Filters search={search} names={namesIn(records)} onChange={go} />
      <Records
        source={query}
        rows={records}
        problem={t`Could not load the audit log.`}
        waiting={<Skeletons />}
        empty={<Empty onReset={isFiltered(search) ? () => go({}) : undefined} />}
        more={{
          label: search.sort === 'seq' ? <Trans>Show newer records</Trans> : <Trans>Show older records</Trans>,
          className: styles.more,
        }}
      >
        {(rows) => (
          <>
            <div className={styles.bar}>
              <Count rows={rows.length} hasMore={hasNextPage} isOldestFirst={search.sort === 'seq'} />
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
                setSelected(record)
                setIsShown(true)
              }}
            />
          </>
        )}
      </Records>
      <Suspense fallback={null}>
        {selected && (
          <RecordDrawer
            record={selected}
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

function Empty({ onReset }: { onReset: (() => void) | undefined }) {
  return (
    <div className={styles.empty}>
      <p>
        <Trans>No records match.</Trans>
      </p>
      {onReset && (
        <Button variant="default" onClick={onReset}>
          <Trans>Remove all filters</Trans>
        </Button>
      )}
    </div>
  )
}

function Count({ rows, hasMore, isOldestFirst }: { rows: number; hasMore: boolean; isOldestFirst: boolean }) {
  return (
    <p role="status">
      {!hasMore ? (
        <Plural value={rows} one="# record" other="# records" />
      ) : isOldestFirst ? (
        <Plural value={rows} one="Oldest record" other="Oldest # records" />
      ) : (
        <Plural value={rows} one="Latest record" other="Latest # records" />
      )}
    </p>
  )
}

/** The names of the actors and targets, to show a filter by one of them. */
function namesIn(records: readonly AuditRecord[] = []): ReadonlyMap<string, string> {
  const parties = records.flatMap(({ actor, target }) => [actor, ...(target === null ? [] : [target])])
  return new Map(parties.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])))
}

/** Focuses the row again, or the heading if other records are shown by now. */
function focusAgain(opener: Element | null): void {
  const place = opener?.isConnected ? opener : document.querySelector('h1')
  if (place instanceof HTMLElement) place.focus({ preventScroll: true })
}

type OpenProps = { onOpen: (record: AuditRecord) => void }

function Days({ records, onOpen }: OpenProps & { records: readonly AuditRecord[] }) {
  const { i18n } = useLingui()
  const days = useMemo(() => byDay(records), [records])
  const day = new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'full' })
  return (
    <div className={styles.days}>
      {days.map(({ day: date, records: ofDay }) => (
        <section key={`${date} ${ofDay[0]?.seq}`} aria-label={day.format(new Date(`${date}T12:00`))}>
          <h2>{day.format(new Date(`${date}T12:00`))}</h2>
          <ul className={styles.records}>
            {runsOf(ofDay).map((run) => (
              <RunRow key={run.records[0].seq} run={run} onOpen={onOpen} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

/** A record, or a run of the same event that opens to its records. */
function RunRow({ run, onOpen }: OpenProps & { run: Run }) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const [first] = run.records
  if (run.records.length === 1) {
    return (
      <li>
        <button type="button" aria-haspopup="dialog" onClick={() => onOpen(first)}>
          <Row run={run} />
        </button>
      </li>
    )
  }
  return (
    <>
      <li>
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
          <Row run={run} />
        </button>
      </li>
      <li id={id} hidden={!isOpen} className={runStyles.run}>
        {isOpen && (
          <ul>
            {run.records.map((record) => (
              <RunRow key={record.seq} run={{ records: [record] }} onOpen={onOpen} />
            ))}
          </ul>
        )}
      </li>
    </>
  )
}

function Row({ run }: { run: Run }) {
  const { t, i18n } = useLingui()
  const words = useRecordWords()
  const [record] = run.records
  const time = new Intl.DateTimeFormat(i18n.locale, { timeStyle: 'medium' })
  const isOne = run.records.every(({ target }) => target?.id === record.target?.id)
  const target = isOne ? nameOfTarget(record) : undefined
  return (
    <>
      <time dateTime={record.occurred_at} title={formatInstant(record.occurred_at, i18n.locale)}>
        {time.format(new Date(record.occurred_at))}
      </time>
      <span className={styles.what}>
        <span data-outcome={record.outcome}>{words.event(run)}</span>
        {target !== undefined && <strong>{target}</strong>}
        <Summary record={record} isOne={run.records.length === 1} />
        {run.records.length > 1 && (
          <span className={runStyles.fold}>
            <IconDown size={14} />
          </span>
        )}
      </span>
      <span className={styles.who}>
        <span className="visually-hidden">{t`by`} </span>
        {words.actor(record)}
      </span>
      <span className={styles.from} dir="ltr">
        {record.address ?? ''}
      </span>
    </>
  )
}

const shownChanges = 3

/** The values of a change, the reason of a refusal, or how many rows an import had. */
function Summary({ record, isOne }: { record: AuditRecord; isOne: boolean }) {
  const { t } = useLingui()
  const words = useRecordWords()
  const reason = words.reason(record)
  if (reason !== undefined) return <span className={styles.quiet}>{reason}</span>
  const rows = record.details?.rows_done
  if (record.target?.kind === 'import' && typeof rows === 'number') {
    return (
      <span className={styles.quiet}>
        <Plural value={rows} one="# row" other="# rows" />
      </span>
    )
  }
  // A created or deleted record lists every member.
  if (!isOne || /\.(created|deleted|revoked)$/.test(record.action)) return null
  const changes = changesOf(record.changes)
  if (changes.length === 0) return null
  return (
    <span className={runStyles.changes}>
      {changes.slice(0, shownChanges).map(({ member, before, after, isSecret }) => (
        <span key={member}>
          <MemberName member={member} />
          {!isSecret && (
            <>
              :{' '}
              <AuditValue member={member} value={before}>
                <bdi>{before ?? t`nothing`}</bdi>
              </AuditValue>{' '}
              <span role="img" aria-label={t`became`} className={runStyles.arrow}>
                →
              </span>{' '}
              <AuditValue member={member} value={after}>
                <bdi>{after ?? t`nothing`}</bdi>
              </AuditValue>
            </>
          )}
        </span>
      ))}
      {changes.length > shownChanges && '…'}
    </span>
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
