import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { ImportJob } from 'rollbook/client'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { IconBack } from '../ui/icons.tsx'
import { formatNumber } from '../ui/number.ts'
import { openingRow } from '../ui/open-row.ts'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { Section } from '../ui/section.tsx'
import { Instant } from '../ui/time.tsx'
import styles from './imports.module.css'
import { jobsQuery } from './job-queries.ts'
import { forgetOldPlans } from './kept-plans.ts'
import { StateBadge } from './words.tsx'

const ImportWizard = lazy(() => import('./import-wizard.tsx'))
const ExportDialog = lazy(() => import('../exports/export-dialog.tsx'))

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
      description={t`Bring users in from a file, or take them out into one, while the service runs.`}
      actions={<ApiCallButton calls={[{ operation: 'GET /imports', query: { limit: 100 } }]} />}
    >
      <Ways mayImport={mayImport} />
      {mayImport && (
        <Section title={t`Imports`} description={t`The last 100; each is kept for a month.`}>
          <Jobs />
        </Section>
      )}
    </Page>
  )
}

export function BackToImports() {
  return (
    <Link to="/imports" search={{}} className={styles.back ?? ''}>
      <IconBack size={16} />
      <Trans>Import and export</Trans>
    </Link>
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
            From CSV, NDJSON or JSON of any size. You see what would become of each row before anything is written.
          </Trans>
        </p>
        {mayImport ? (
          <Button renderRoot={(props) => <Link {...props} to="/imports" search={{ new: true }} />}>
            <Trans>Choose a file</Trans>
          </Button>
        ) : (
          <span className={styles.note}>
            <Trans>Your role does not have the permission users:import.</Trans>
          </span>
        )}
      </div>
      <div className={styles.way}>
        <h2>
          <Trans>Export users</Trans>
        </h2>
        <p>
          <Trans>
            All of them as one consistent file. To export a part, filter the list of users and export from there.
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
          <span className={styles.note}>
            <Trans>Your role does not have the permission users:read.</Trans>
          </span>
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

function Jobs() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(jobsQuery)
  if (data === undefined)
    return error === null ? (
      <div aria-busy="true" className={styles.stack}>
        {[1, 2, 3].map((n) => (
          <Skeleton key={n} height={36} />
        ))}
      </div>
    ) : (
      <Problem error={error} retry={() => void refetch()} title={t`The imports could not be read.`} />
    )
  if (data.length === 0)
    return (
      <p className={styles.empty}>
        <Trans>Nothing was imported yet. What you import, and what others do by command line, is listed here.</Trans>
      </p>
    )
  return (
    <div className={styles.tableBox}>
      <table className={`${styles.table} ${styles.jobs}`}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Started</Trans>
            </th>
            <th scope="col">
              <Trans>State</Trans>
            </th>
            <th scope="col">
              <Trans>Kind</Trans>
            </th>
            <th scope="col" className={styles.number}>
              <Trans>Rows</Trans>
            </th>
            <th scope="col" className={styles.number}>
              <Trans>Created</Trans>
            </th>
            <th scope="col" className={styles.number}>
              <Trans>Updated</Trans>
            </th>
            <th scope="col" className={styles.number}>
              <Trans>Rejected</Trans>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.map((job) => (
            <JobRow key={job.job_id} job={job} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function JobRow({ job }: { job: ImportJob }) {
  const { t, i18n } = useLingui()
  return (
    <tr {...openingRow}>
      <td data-label={t`Started`}>
        <Link data-opens to="/imports/$jobId" params={{ jobId: job.job_id }}>
          <Instant value={job.created_at} style="full" />
        </Link>
      </td>
      <td data-label={t`State`}>
        <StateBadge job={job} />
      </td>
      <td data-label={t`Kind`}>
        {job.dry_run ? t`Check, nothing written` : job.mode === 'update' ? t`New users and changes` : t`New users`}
      </td>
      <td data-label={t`Rows`} className={styles.number}>
        {formatNumber(job.rows_done, i18n.locale)}
      </td>
      <td data-label={t`Created`} className={styles.number}>
        {formatNumber(job.created, i18n.locale)}
      </td>
      <td data-label={t`Updated`} className={styles.number}>
        {formatNumber(job.updated, i18n.locale)}
      </td>
      <td data-label={t`Rejected`} className={styles.number}>
        {formatNumber(job.rejected, i18n.locale)}
      </td>
    </tr>
  )
}
