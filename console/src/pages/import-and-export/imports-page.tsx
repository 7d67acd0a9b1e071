import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { ImportJob } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { jobsQuery } from '../../data/imports.ts'
import { Page } from '../../layout/page.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Needs } from '../../ui/missing-permission.tsx'
import { formatNumber } from '../../ui/number.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Records } from '../../ui/records.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './imports.module.css'
import { forgetOldPlans } from './kept-plans.ts'
import { WaitingRows } from './waiting-rows.tsx'
import { StateBadge } from './words.tsx'

const ImportWizard = lazy(() => import('./import-wizard.tsx'))
const ExportDialog = lazy(() => import('../../parts/exports/export-dialog.tsx'))

export default function ImportsPage() {
  const { t } = useLingui()
  const isNew = useSearch({ from: '/shell/imports', select: (search) => search.new === true })
  const mayImport = useCan('users:import')
  useEffect(() => void forgetOldPlans(), [])
  if (isNew && mayImport)
    return (
      <Page title={t`Import users`} back={<BackToImports />}>
        <Suspense fallback={<Skeleton height={224} radius="lg" />}>
          <ImportWizard />
        </Suspense>
      </Page>
    )
  return (
    <Page
      title={t`Import and export`}
      description={t`Import or export users as a file.`}
      calls={[{ operation: 'GET /imports', query: { limit: 100 } }]}
    >
      <Ways mayImport={mayImport} />
      {mayImport && (
        <Section title={t`Imports`} description={t`The last 100. Each is kept for a month.`}>
          <Jobs />
        </Section>
      )}
    </Page>
  )
}

export function BackToImports() {
  return (
    <BackLink to="/imports" search={{}}>
      <Trans>Import and export</Trans>
    </BackLink>
  )
}

function Ways({ mayImport }: { mayImport: boolean }) {
  const mayRead = useCan('users:read')
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <div className={styles.ways}>
      <div className={styles.way}>
        <h2>
          <Trans>Import users</Trans>
        </h2>
        <p>
          <Trans>
            From CSV, NDJSON or JSON of any size. Before anything is written, you see what would happen to each row.
          </Trans>
        </p>
        {mayImport ? (
          <Button renderRoot={(props) => <Link {...props} to="/imports" search={{ new: true }} />}>
            <Trans>Choose file</Trans>
          </Button>
        ) : (
          <Needs permissions={['users:import']} />
        )}
      </div>
      <div className={styles.way}>
        <h2>
          <Trans>Export users</Trans>
        </h2>
        <p>
          <Trans>
            All users as one consistent file. To export some of them, filter the list of users and export from there.
          </Trans>
        </p>
        {mayRead ? (
          <Button
            variant="default"
            onClick={() => {
              setWasOpened(true)
              setIsOpen(true)
            }}
          >
            <Trans>Export all users</Trans>
          </Button>
        ) : (
          <Needs permissions={['users:read']} />
        )}
      </div>
      {wasOpened && (
        <Suspense fallback={null}>
          <ExportDialog query={{}} total={undefined} isOpen={isOpen} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

const jobsLook = { box: styles.tableBox, table: `${styles.table} ${styles.jobs}` }

function Jobs() {
  const { t, i18n } = useLingui()
  const query = useQuery(jobsQuery)
  const number = (label: string, value: (job: ImportJob) => number): Column<ImportJob> => ({
    label,
    className: styles.number,
    cell: (job) => formatNumber(value(job), i18n.locale),
  })
  const columns: Column<ImportJob>[] = [
    {
      label: t`File`,
      cell: ({ job_id: jobId, file_name }) => (
        <Link data-opens to="/imports/$jobId" params={{ jobId }}>
          <bdi>{file_name ?? t`Not named`}</bdi>
        </Link>
      ),
    },
    { label: t`Started`, cell: ({ created_at }) => <Instant value={created_at} /> },
    { label: t`State`, cell: (job) => <StateBadge job={job} /> },
    {
      label: t`Kind`,
      cell: ({ dry_run, mode }) =>
        dry_run ? t`Check, nothing written` : mode === 'update' ? t`New users and changes` : t`New users`,
    },
    number(t`Rows`, ({ rows_done }) => rows_done),
    number(t`Created`, ({ created }) => created),
    number(t`Updated`, ({ updated }) => updated),
    number(t`Rejected`, ({ rejected }) => rejected),
  ]
  return (
    <Records
      source={query}
      rows={query.data}
      problem={t`Could not load the imports.`}
      waiting={<WaitingRows height={36} />}
      empty={
        <p className={styles.empty}>
          <Trans>No imports yet. Imports from this page and from the command line are listed here.</Trans>
        </p>
      }
    >
      {(jobs) => <RecordTable rows={jobs} keyOf={({ job_id }) => job_id} columns={columns} look={jobsLook} isOpening />}
    </Records>
  )
}
