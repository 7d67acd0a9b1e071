import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { type ImportJob, RollbookError } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCan, useMe } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { jobQuery } from '../../data/imports.ts'
import { Page } from '../../layout/page.tsx'
import { formatNumber } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './imports.module.css'
import { BackToImports } from './imports-page.tsx'
import { findPlan, forgetPlan } from './kept-plans.ts'
import { ProblemRows } from './problem-rows.tsx'
import { Resume } from './resume.tsx'
import { type ImportRun, isSentElsewhere, retryRun, startRun, stopRun, useRun } from './run.ts'
import { RunProgress } from './run-progress.tsx'
import { Counts, ImportProblem, StateBadge, useMemberNames } from './words.tsx'

export default function ImportPage() {
  const { t } = useLingui()
  const titleOfSynchronization = ({ dry_run, file_name = '' }: ImportJob) =>
    dry_run ? t`Dry run of ${file_name}` : t`Synchronization of ${file_name}`
  const { jobId } = useParams({ from: '/shell/imports/$jobId' })
  const run = useRun(jobId)
  const isSentHere = run?.state === 'running' || run?.state === 'waiting'
  // The server may not know an import that has just started here.
  const { data, error, refetch } = useQuery({
    ...jobQuery(jobId, isSentHere),
    enabled: run === undefined || !isSentHere,
  })
  const job = isSentHere ? run.job : (data ?? run?.job)
  const file_name = job?.file_name
  const title =
    job !== undefined && isSynchronization(job)
      ? titleOfSynchronization(job)
      : job?.dry_run
        ? t`Check of a file`
        : file_name === undefined
          ? t`Import`
          : t`Import of ${file_name}`
  return (
    <Page
      title={title}
      back={<BackToImports />}
      calls={[{ operation: 'GET /imports/{job_id}', path: { job_id: jobId } }]}
      description={job !== undefined && <StateBadge job={job} />}
    >
      {job !== undefined ? (
        <Job job={job} run={run} />
      ) : isSentHere ? (
        <Section title={t`Importing`}>
          <RunProgress run={run} job={undefined} />
        </Section>
      ) : run?.state === 'failed' ? (
        <ImportProblem error={run.problem} retry={() => void retryRun(jobId)} />
      ) : error !== null ? (
        <Problem
          error={error}
          retry={() => void refetch()}
          title={
            error instanceof RollbookError && error.status === 404
              ? t`This import does not exist. Imports are kept for a month.`
              : t`Could not load the import.`
          }
        />
      ) : (
        <div aria-busy="true" className={styles.stack}>
          <Skeleton height={96} />
          <Skeleton height={160} />
        </div>
      )}
    </Page>
  )
}

/** An import from a directory, which the service reads itself. */
const isSynchronization = ({ match }: ImportJob) => match === 'identity'

function Job({ job, run }: { job: ImportJob; run: ImportRun | undefined }) {
  const { t, i18n } = useLingui()
  const isSentHere = run?.state === 'running' || run?.state === 'waiting'
  const isSynchronized = isSynchronization(job)
  const isOver = job.state === 'done' || job.state === 'cancelled'
  const isResuming = useResumption(job, run)
  const counts = <Counts job={job} />
  return (
    <div className={styles.stack}>
      {!isOver && (
        <Section
          title={
            isSentHere || isResuming
              ? t`Importing`
              : job.state !== 'running'
                ? t`Interrupted`
                : isSynchronized
                  ? t`Reading the directory`
                  : t`Receiving rows`
          }
          description={
            isSentHere || isResuming
              ? t`The import continues while you use other pages of the console. It stops when you close the tab, and continues when you open this page again.`
              : job.state !== 'running'
                ? isSynchronized
                  ? t`The connection shows why among its failed sign-ins and tests. Changes already made are kept.`
                  : t`The import stopped early. Changes already made are kept.`
                : isSynchronized
                  ? t`It continues when you close this page.`
                  : t`Another page or program is sending this file.`
          }
        >
          <RunProgress run={run} job={job} />
          {counts}
          {run?.state === 'failed' && <ImportProblem error={run.problem} retry={() => void retryRun(job.job_id)} />}
          {!isSentHere && !isResuming && job.state === 'interrupted' && <Resume job={job} />}
          <Cancel job={job} />
        </Section>
      )}
      {isOver && (
        <Section title={<Outcome job={job} />}>
          {counts}
          <div className={styles.foot}>
            {job.created > 0 && !job.dry_run && (
              <Button
                renderRoot={(props) => <Link {...props} to="/users" search={{ created_after: job.created_at }} />}
              >
                <Trans>Show new users</Trans>
              </Button>
            )}
            {!isSynchronized && (
              <Button
                variant="default"
                renderRoot={(props) => <Link {...props} to="/imports" search={{ new: true }} />}
              >
                <Trans>Import another file</Trans>
              </Button>
            )}
          </div>
        </Section>
      )}
      {job.rejected > 0 && (
        <Section
          title={
            <Plural
              value={job.rejected}
              one="1 row was rejected"
              other={`${formatNumber(job.rejected, i18n.locale)} rows were rejected`}
            />
          }
          description={
            isSynchronized
              ? t`Correct these entries in the directory and synchronize it again.`
              : t`Correct these rows and import them again. Users who already match the file stay unchanged.`
          }
          actions={isOver && <Download job={job} run={run} />}
        >
          <ProblemRows job={job} run={run} />
        </Section>
      )}
      <Facts job={job} run={run} />
    </div>
  )
}

/** Continues with the kept file. */
function useResumption(job: ImportJob, run: ImportRun | undefined): boolean {
  const { user_id } = useMe()
  const [state, setState] = useState<'looking' | 'going' | 'not_here'>('looking')
  const latest = useRef(job)
  latest.current = job
  const isOpen = job.state === 'running' || job.state === 'interrupted'
  const canResume = isOpen && run === undefined && !job.dry_run
  useEffect(() => {
    if (!canResume) return
    let isLeft = false
    void Promise.all([findPlan(job.job_id, user_id), isSentElsewhere(job.job_id)]).then(([plan, isElsewhere]) => {
      if (isLeft) return
      const isOurs = plan !== undefined && !isElsewhere
      setState(isOurs ? 'going' : 'not_here')
      if (isOurs) startRun(latest.current.job_id, plan, { isDryRun: false, done: latest.current })
    })
    return () => {
      isLeft = true
    }
  }, [canResume, job.job_id, user_id])
  // Ended elsewhere: there is nothing to continue.
  useEffect(() => {
    if (!isOpen) void forgetPlan(job.job_id)
  }, [isOpen, job.job_id])
  return canResume && state !== 'not_here'
}

function Outcome({ job: { state, dry_run, rows_done, rejected, skipped } }: { job: ImportJob }) {
  const { i18n } = useLingui()
  const rows = formatNumber(rows_done, i18n.locale)
  if (state === 'cancelled') return <Trans>Cancelled after row {rows}. Changes already made are kept.</Trans>
  if (dry_run)
    return rejected === 0 ? (
      <Plural
        value={rows_done}
        one="The row can be imported. Nothing was written."
        other="All # rows can be imported. Nothing was written."
      />
    ) : (
      <Trans>
        {formatNumber(rows_done - rejected, i18n.locale)} of {rows} rows can be imported. Nothing was written.
      </Trans>
    )
  if (rejected + skipped === 0) return <Plural value={rows_done} one="1 row imported." other="All # rows imported." />
  const imported = formatNumber(rows_done - rejected - skipped, i18n.locale)
  return (
    <Trans>
      {imported} of {rows} rows imported.
    </Trans>
  )
}

function Cancel({ job }: { job: ImportJob }) {
  const queries = useQueryClient()
  const [isAsked, setIsAsked] = useState(false)
  const mayCancel = useCan('users:import')
  const { submit, isPending, error } = useSubmit(
    (jobId: string) => {
      stopRun(jobId)
      return api.imports.cancel(jobId)
    },
    {
      stale: [['imports'], ['users']],
      onSuccess(cancelled) {
        void forgetPlan(cancelled.job_id)
        queries.setQueryData(['imports', cancelled.job_id], cancelled)
      },
    },
  )
  if (!mayCancel) return null
  return (
    <>
      {error !== null && <Problem error={error} />}
      <div className={styles.foot}>
        {isAsked ? (
          <>
            <span className={styles.said}>
              <Trans>End this import? Rows already imported are kept.</Trans>
            </span>
            <Button color="red.9" loading={isPending} onClick={() => submit(job.job_id)} autoFocus>
              <Trans>End import</Trans>
            </Button>
            <Button variant="default" onClick={() => setIsAsked(false)}>
              <Trans>Continue importing</Trans>
            </Button>
          </>
        ) : (
          <Button variant="default" onClick={() => setIsAsked(true)}>
            <Trans>Cancel import</Trans>
          </Button>
        )}
        <ApiCallButton calls={[{ operation: 'POST /imports/{job_id}/cancel', path: { job_id: job.job_id } }]} />
      </div>
    </>
  )
}

/** With the text of the file if this page sent it from the beginning; otherwise numbers and reasons only. */
function Download({ job, run }: { job: ImportJob; run: ImportRun | undefined }) {
  const { t } = useLingui()
  const [isReading, setIsReading] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const hasRows = run !== undefined && run.rejects.count === job.rejected
  async function download() {
    if (hasRows) {
      saveFile(run.rejects.toBlob(), run.rejects.name(run.fileName))
      return
    }
    setIsReading(true)
    setProblem(undefined)
    try {
      const { reasonsFile } = await import('./reasons-file.ts')
      saveFile(await reasonsFile(api.imports.rows(job.job_id, { verdict: ['rejected'] })), `${job.job_id}.rejects.csv`)
    } catch (error) {
      setProblem(error)
    } finally {
      setIsReading(false)
    }
  }
  return (
    <>
      <Button size="xs" variant="default" loading={isReading} onClick={() => void download()}>
        {hasRows ? <Trans>Download these rows</Trans> : <Trans>Download lines and reasons</Trans>}
      </Button>
      {problem !== undefined && <Problem error={problem} title={t`Could not load the rejected rows.`} />}
    </>
  )
}

function Facts({ job, run }: { job: ImportJob; run: ImportRun | undefined }) {
  const { t } = useLingui()
  const names = useMemberNames()
  const existing =
    job.mode === 'update'
      ? t`Updated with the values of the row`
      : job.on_conflict === 'skip'
        ? t`Skipped`
        : t`Rejected`
  const facts: [string, React.ReactNode][] = [
    ...(run === undefined ? [] : ([[t`File`, <bdi key="file">{run.fileName}</bdi>]] as [string, React.ReactNode][])),
    ...(isSynchronization(job) ? [] : ([[t`Users who already exist`, existing]] as [string, React.ReactNode][])),
    [t`Matched by`, job.match === 'identity' ? t`Account in the directory` : names[job.match]],
    [t`Started`, <Instant key="begun" value={job.created_at} style="full" />],
    [t`Ended`, <Instant key="ended" value={job.finished_at} style="full" never={t`Not yet`} />],
    [
      t`ID`,
      <code key="id" dir="ltr">
        {job.job_id}
      </code>,
    ],
  ]
  return (
    <Section title={t`Details`}>
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
