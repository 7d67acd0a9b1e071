/** An access review: its rows, decided by keys or buttons. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, type Ref, Suspense, useEffect, useRef, useState } from 'react'
import type { Review, ReviewRow } from 'rollbook/client'
import { placeOf } from '../../api/base.ts'
import { api } from '../../api/client.ts'
import { useCan, useMe } from '../../api/me.ts'
import { reviewQuery, reviewRowsQuery, rowFilter, rowsOfAPage, type ShownRows } from '../../data/reviews.ts'
import { Page } from '../../layout/page.tsx'
import { useShortcut, useShortcutsOn } from '../../shortcuts/shortcuts.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Instant } from '../../ui/time.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { OneRow } from './review-row.tsx'
import styles from './reviews.module.css'
import { type Decision, useRowDecisions } from './use-row-decisions.ts'
import { nameOfParty, useRowStates } from './words.ts'

const CloseDialog = lazy(() => import('./close-dialog.tsx'))
const route = getRouteApi('/shell/reviews/$reviewId')

export default function ReviewPage() {
  const { t } = useLingui()
  const { reviewId } = route.useParams()
  const { data: review, error, refetch } = useQuery(reviewQuery(reviewId))
  const mayWrite = useCan('reviews:write')
  const [isClosing, setIsClosing] = useState(false)
  const saving = useSubmit(saveCsv)
  return (
    <Page
      title={review?.name ?? t`Access review`}
      back={
        <BackLink to="/reviews">
          <Trans>Access reviews</Trans>
        </BackLink>
      }
      changes={['reviews:write']}
      calls={[
        { operation: 'GET /reviews/{review_id}', path: { review_id: reviewId } },
        {
          operation: 'GET /reviews/{review_id}/rows',
          path: { review_id: reviewId },
          query: { ...rowFilter('open'), limit: rowsOfAPage },
        },
      ]}
      actions={
        review !== undefined && (
          <>
            <Button
              component="a"
              variant="default"
              href={placeOf(`reviews/${reviewId}/rows`)}
              target="_blank"
              rel="noreferrer"
            >
              <Trans>Page to print</Trans>
            </Button>
            <Button variant="default" loading={saving.isPending} onClick={() => saving.submit(review)}>
              <Trans>Download CSV</Trans>
            </Button>
            {mayWrite && review.state === 'open' && (
              <Button onClick={() => setIsClosing(true)}>
                <Trans>Close review</Trans>
              </Button>
            )}
          </>
        )
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} title={t`Could not load the review.`} />}
      {saving.error !== null && <Problem error={saving.error} title={t`The file was not saved.`} />}
      {review !== undefined && (
        <>
          <About review={review} />
          <Rows key={review.review_id} review={review} />
        </>
      )}
      <Suspense fallback={null}>
        {isClosing && review !== undefined && <CloseDialog review={review} onClose={() => setIsClosing(false)} />}
      </Suspense>
    </Page>
  )
}

async function saveCsv({ review_id, name }: Review): Promise<void> {
  const { body } = await api.open('GET', `/reviews/${review_id}/rows`, { headers: { accept: 'text/csv' } })
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of body) parts.push(chunk as Uint8Array<ArrayBuffer>)
  saveFile(new Blob(parts, { type: 'text/csv' }), `${name}.csv`)
}

function About({ review }: { review: Review }) {
  const { t } = useLingui()
  const states = useRowStates()
  const { due_at, created_at, created_by, closed_at, closed_by, digest, counts, remove_open } = review
  return (
    <Facts>
      <Fact name={t`Begun`}>
        <Trans>
          <Instant value={created_at} style="full" /> by <bdi>{nameOfParty(created_by)}</bdi>
        </Trans>
      </Fact>
      <Fact name={t`Due`} note={remove_open ? t`What is open then is removed.` : undefined}>
        <Instant value={due_at} style="full" />
      </Fact>
      {closed_at !== null && (
        <Fact name={t`Closed`}>
          <Trans>
            <Instant value={closed_at} style="full" /> by <bdi>{nameOfParty(closed_by)}</bdi>
          </Trans>
        </Fact>
      )}
      <Fact name={t`Rows`}>
        {(Object.keys(counts) as ReviewRow['state'][])
          .filter((state) => counts[state] > 0)
          .map((state) => `${states[state]}: ${counts[state]}`)
          .join(' · ')}
      </Fact>
      {digest !== null && (
        <Fact name={t`Seal (SHA-256)`}>
          <code className={styles.digest} dir="ltr">
            {digest}
          </code>
        </Fact>
      )}
    </Facts>
  )
}

function Rows({ review }: { review: Review }) {
  const { t } = useLingui()
  const { review_id, state, reviewers, counts } = review
  const { user_id } = useMe()
  const mayWrite = useCan('reviews:write')
  const mayDecide = mayWrite && state === 'open'
  const isNamed = reviewers.length === 0 || reviewers.includes(user_id)
  const [range, setRange] = useState<ShownRows>(state === 'open' && counts.open > 0 ? 'open' : 'all')
  const query = useInfiniteQuery(reviewRowsQuery(review_id, range))
  const rows = query.data?.pages.flatMap((page) => page.rows)
  const [current, setCurrent] = useState(0)
  const [comment, setComment] = useState('')
  const { decide, pending, refusals } = useRowDecisions(review)
  const areKeysOn = useShortcutsOn()
  const elements = useRef(new Map<number, HTMLLIElement>())
  const commentField = useRef<HTMLInputElement>(null)
  const count = rows?.length ?? 0
  const at = Math.min(current, Math.max(0, count - 1))

  function focusOn(index: number): void {
    const next = Math.max(0, Math.min(index, count - 1))
    setCurrent(next)
    elements.current.get(next)?.focus()
  }
  function decideAt(index: number, decision: Decision): void {
    const row = rows?.[index]
    if (row === undefined || row.state === 'changed_meanwhile') return
    decide(row.row_id, decision, comment.trim())
    setComment('')
    focusOn(index + 1)
  }
  useShortcut('a', t`Keep`, () => decideAt(at, 'keep'), { isOn: mayDecide })
  useShortcut('r', t`Remove`, () => decideAt(at, 'remove'), { isOn: mayDecide })
  useShortcut('j', t`Next row`, () => focusOn(at + 1))
  useShortcut('k', t`Previous row`, () => focusOn(at - 1))
  useShortcut('m', t`Comment`, () => commentField.current?.focus(), { opensField: true, isOn: mayDecide })
  useNextPage(query, count > 0 && at > count - 10)
  return (
    <>
      <div className={styles.tools}>
        {mayDecide && (
          <CommentField ref={commentField} comment={comment} onChange={setComment} onLeave={() => focusOn(at)} />
        )}
        <RangeSelect
          range={range}
          onChange={(next) => {
            setRange(next)
            setCurrent(0)
          }}
        />
      </div>
      {mayDecide && !isNamed && (
        <p className={styles.quiet}>
          <Trans>This review has named reviewers, and you are none of them.</Trans>
        </p>
      )}
      {areKeysOn && mayDecide && <KeyHints />}
      <Records
        source={query}
        rows={rows}
        problem={t`Could not load the rows.`}
        waiting={<WaitingTable rows={6} widths={['30%', '40%', '14%']} />}
        empty={<Empty title={range === 'open' ? t`Everything is decided.` : t`The review has no rows.`} />}
        more={{ label: <Trans>Show more rows</Trans> }}
      >
        {(shownRows) => (
          <ul
            className={styles.list}
            onKeyDown={(event) => {
              const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
              if (step === undefined) return
              event.preventDefault()
              focusOn(at + step)
            }}
          >
            {shownRows.map((row, index) => (
              <OneRow
                key={row.row_id}
                ref={(element) => {
                  if (element) elements.current.set(index, element)
                  else elements.current.delete(index)
                }}
                reviewId={review_id}
                row={row}
                isCurrent={index === at}
                isPending={pending.has(row.row_id)}
                refusal={refusals.get(row.row_id)}
                onFocus={() => setCurrent(index)}
                onDecide={mayDecide ? (decision) => decideAt(index, decision) : undefined}
              />
            ))}
          </ul>
        )}
      </Records>
    </>
  )
}

/** Reads the next page before the reader reaches the end of this one. */
function useNextPage(
  {
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  }: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>,
  isNearEnd: boolean,
): void {
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage])
}

type CommentProps = {
  ref: Ref<HTMLInputElement>
  comment: string
  onChange: (comment: string) => void
  onLeave: () => void
}

function CommentField({ ref, comment, onChange, onLeave }: CommentProps) {
  const { t } = useLingui()
  return (
    <TextInput
      ref={ref}
      label={t`Comment on the next decision`}
      maxLength={1000}
      autoComplete="off"
      value={comment}
      onChange={({ currentTarget: { value } }) => onChange(value)}
      onKeyDown={({ key }) => (key === 'Enter' || key === 'Escape') && onLeave()}
    />
  )
}

function RangeSelect({ range, onChange }: { range: ShownRows; onChange: (range: ShownRows) => void }) {
  const { t } = useLingui()
  return (
    <NativeSelect
      label={t`Rows`}
      value={range}
      data={[
        { value: 'open', label: t`Not decided` },
        { value: 'all', label: t`All rows` },
      ]}
      onChange={({ currentTarget: { value } }) => onChange(value as ShownRows)}
    />
  )
}

function KeyHints() {
  return (
    <p className={styles.keys}>
      <Trans>
        Keys: <kbd>A</kbd> keep, <kbd>R</kbd> remove, <kbd>J</kbd> and <kbd>K</kbd> or the arrows move, <kbd>M</kbd>{' '}
        comment.
      </Trans>
    </p>
  )
}
