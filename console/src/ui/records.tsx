/** Records from the service: what is shown while they load, if the list is empty, and if reading them failed. */
import { Button, type ButtonProps, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Problem } from './problem.tsx'
import styles from './records.module.css'

/** The result of a React Query, with pages or without. */
type Source = {
  error: Error | null
  refetch: () => unknown
  hasNextPage?: boolean
  isFetchingNextPage?: boolean
  isFetchNextPageError?: boolean
  fetchNextPage?: () => unknown
}

type Props<Row> = {
  source: Source
  /** Undefined until they are read for the first time. */
  rows: readonly Row[] | undefined
  /** A sentence: `Could not load the keys.` */
  problem: string
  waiting: ReactNode
  /** Left out where there is always at least one record. */
  empty?: ReactNode
  /** The button for the next page. */
  more?: { label: ReactNode; size?: NonNullable<ButtonProps['size']>; className?: string | undefined }
  children: (rows: readonly Row[]) => ReactNode
}

export function Records<Row>({ source, rows, problem, waiting, empty, more, children }: Props<Row>) {
  const { error, refetch, hasNextPage, isFetchingNextPage = false, isFetchNextPageError, fetchNextPage } = source
  // The problem is shown where the request was made: above the rows, or at the button for more.
  const isOfNextPage = isFetchNextPageError === true && rows !== undefined
  const said = error && (
    <Problem error={error} retry={() => void (isOfNextPage ? fetchNextPage : refetch)?.()} title={problem} />
  )
  return (
    <>
      {!isOfNextPage && said}
      {rows === undefined
        ? error === null && waiting
        : rows.length === 0 && empty !== undefined
          ? empty
          : children(rows)}
      {isOfNextPage && said}
      {more !== undefined && hasNextPage === true && (
        <Button
          variant="default"
          {...(more.size !== undefined && { size: more.size })}
          className={more.className ?? ''}
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage?.()}
        >
          {more.label}
        </Button>
      )}
    </>
  )
}

/** A table while its rows load. `widths` are those of the bars in each row. */
export function WaitingTable({ rows, widths }: { rows: number; widths: readonly string[] }) {
  return (
    <div className={styles.frame} aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
        <div key={row} className={styles.waiting}>
          {widths.map((width) => (
            <Skeleton key={width} height={14} width={width} />
          ))}
        </div>
      ))}
    </div>
  )
}
