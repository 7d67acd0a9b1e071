import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ImportedRow, ImportJob } from 'rollbook/client'
import { formatNumber } from '../ui/number.ts'
import { Problem } from '../ui/problem.tsx'
import { members } from './columns.ts'
import styles from './imports.module.css'
import { rejectedQuery } from './job-queries.ts'
import { inputOf } from './rejected-input.ts'
import type { ImportRun } from './run.ts'
import { useMemberNames } from './words.tsx'

type Props = { job: ImportJob; run: ImportRun | undefined }

/** Every row that was rejected, with the reason; while rows still arrive, the first ones. */
export function ProblemRows({ job, run }: Props) {
  const { t, i18n } = useLingui()
  const isOver = job.state === 'done' || job.state === 'cancelled'
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...rejectedQuery(job.job_id),
    enabled: isOver && job.rejected > 0,
  })
  if (job.rejected === 0) return null
  const rows: readonly ImportedRow[] = isOver ? (data?.pages.flat() ?? []) : job.rejects
  if (error !== null && rows.length === 0)
    return <Problem error={error} retry={() => void refetch()} title={t`The rejected rows could not be read.`} />
  if (rows.length === 0)
    return (
      <div aria-busy="true" className={styles.stack}>
        {[1, 2, 3].map((n) => (
          <Skeleton key={n} height={32} />
        ))}
      </div>
    )
  return (
    <>
      <RowsTable rows={rows} run={run} />
      <div className={styles.foot}>
        <span className={styles.note}>
          <Trans>
            {formatNumber(rows.length, i18n.locale)} of {formatNumber(job.rejected, i18n.locale)} shown
          </Trans>
        </span>
        {isOver && hasNextPage && (
          <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            <Trans>Show more</Trans>
          </Button>
        )}
      </div>
    </>
  )
}

function RowsTable({ rows, run }: { rows: readonly ImportedRow[]; run: ImportRun | undefined }) {
  const { t, i18n } = useLingui()
  const names = useMemberNames()
  const hasInput = run !== undefined && run.rejects.first.size > 0
  return (
    <div className={styles.tableBox}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">
              <Trans>Line</Trans>
            </th>
            <th scope="col">
              <Trans>Where</Trans>
            </th>
            <th scope="col">
              <Trans>What is wrong</Trans>
            </th>
            {hasInput && (
              <th scope="col">
                <Trans>In the file</Trans>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, line, pointer, detail }) => {
            const member = members.find((one) => pointer === `#/${one}`)
            const place = line ?? run?.rejects.first.get(row)?.line
            const said = run === undefined ? undefined : inputOf(run, row, member)
            return (
              <tr key={row}>
                <td data-label={t`Line`}>
                  {place === undefined ? (
                    <Trans>Row {formatNumber(row, i18n.locale)}</Trans>
                  ) : (
                    formatNumber(place, i18n.locale)
                  )}
                </td>
                <td data-label={t`Where`}>{member === undefined ? (pointer ?? t`The row`) : names[member]}</td>
                <td data-label={t`What is wrong`}>{detail}</td>
                {hasInput && (
                  <td data-label={t`In the file`} className={styles.sample}>
                    <span>
                      {said?.fault !== undefined && (
                        <strong>
                          <bdi>{said.fault}</bdi>
                        </strong>
                      )}
                      {said?.fault !== undefined && said.others !== '' && ' · '}
                      <bdi>{said?.others}</bdi>
                    </span>
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
