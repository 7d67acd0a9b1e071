import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ImportedRow, ImportJob } from 'rollbook/client'
import { rejectedQuery } from '../../data/imports.ts'
import { formatNumber } from '../../ui/number.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Records } from '../../ui/records.tsx'
import { memberAt } from './columns.ts'
import styles from './imports.module.css'
import { inputOf } from './rejected-input.ts'
import type { ImportRun } from './run.ts'
import { WaitingRows } from './waiting-rows.tsx'
import { useMemberNames } from './words.tsx'

type Props = { job: ImportJob; run: ImportRun | undefined }

/** All rejected rows with their reasons; while the import runs, the first ones. */
export function ProblemRows({ job, run }: Props) {
  const { t, i18n } = useLingui()
  const isOver = job.state === 'done' || job.state === 'cancelled'
  const query = useInfiniteQuery({ ...rejectedQuery(job.job_id), enabled: isOver && job.rejected > 0 })
  if (job.rejected === 0) return null
  const rows: readonly ImportedRow[] = isOver ? (query.data?.pages.flat() ?? []) : job.rejects
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  return (
    <Records
      source={{ error: query.error, refetch: query.refetch }}
      rows={rows.length === 0 ? undefined : rows}
      problem={t`Could not load the rejected rows.`}
      waiting={<WaitingRows height={32} />}
    >
      {(visibleRows) => (
        <>
          <RowsTable rows={visibleRows} run={run} />
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
      )}
    </Records>
  )
}

const rowsLook = { box: styles.tableBox, table: styles.table }

function RowsTable({ rows, run }: { rows: readonly ImportedRow[]; run: ImportRun | undefined }) {
  const { t, i18n } = useLingui()
  const names = useMemberNames()
  const columns: Column<ImportedRow>[] = [
    {
      label: t`Line`,
      cell({ row, line }) {
        const place = line ?? run?.rejects.first.get(row)?.line
        if (place === undefined) return <Trans>Row {formatNumber(row, i18n.locale)}</Trans>
        return formatNumber(place, i18n.locale)
      },
    },
    {
      label: t`Where`,
      className: styles.where,
      cell(row) {
        const member = memberAt(row.pointer)
        return member === undefined ? (row.pointer ?? t`The row`) : (names[member] ?? member)
      },
    },
    { label: t`What is wrong`, cell: ({ detail }) => detail },
  ]
  if (run !== undefined && run.rejects.first.size > 0)
    columns.push({
      label: t`In the file`,
      className: styles.sample,
      cell: (row) => <Input {...inputOf(run, row.row, memberAt(row.pointer))} />,
    })
  return <RecordTable rows={rows} keyOf={({ row }) => row} columns={columns} look={rowsLook} />
}

function Input({ fault, others }: Partial<ReturnType<typeof inputOf>>) {
  return (
    <span>
      {fault !== undefined && (
        <strong>
          <bdi>{fault}</bdi>
        </strong>
      )}
      {fault !== undefined && others !== '' && ' · '}
      <bdi>{others}</bdi>
    </span>
  )
}
