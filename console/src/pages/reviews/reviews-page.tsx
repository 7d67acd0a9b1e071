/** Access reviews: the list of them. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Review } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { reviewsQuery } from '../../data/reviews.ts'
import { Page } from '../../layout/page.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './reviews.module.css'

const BeginDialog = lazy(() => import('./begin-dialog.tsx'))

export default function ReviewsPage() {
  const { t } = useLingui()
  const query = useQuery(reviewsQuery)
  const [isBeginning, setIsBeginning] = useState(false)
  // The rows are those of the access report.
  const mayBegin = [useCan('reviews:write'), useCan('audit:read'), useCan('users:read')].every(Boolean)
  useShortcut('c', t`Create review`, () => setIsBeginning(true), { opensField: true, isOn: mayBegin })
  return (
    <Page
      title={t`Access reviews`}
      description={t`Decide who keeps which access, and keep a sealed record of it.`}
      changes={['reviews:write', 'audit:read', 'users:read']}
      calls={[{ operation: 'GET /reviews' }]}
      actions={
        mayBegin && (
          <Button leftSection={<IconPlus />} onClick={() => setIsBeginning(true)}>
            <Trans>Create review</Trans>
          </Button>
        )
      }
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the reviews.`}
        waiting={<WaitingTable rows={3} widths={['30%', '40%', '14%']} />}
        empty={<Empty title={t`No reviews yet`} />}
      >
        {(reviews) => (
          <ul className={styles.list}>
            {reviews.map((review) => (
              <OneReview key={review.review_id} review={review} />
            ))}
          </ul>
        )}
      </Records>
      <Suspense fallback={null}>{isBeginning && <BeginDialog onClose={() => setIsBeginning(false)} />}</Suspense>
    </Page>
  )
}

function OneReview({ review: { review_id, name, state, row_count, counts, due_at, closed_at } }: { review: Review }) {
  const { t } = useLingui()
  const decided = row_count - counts.open
  return (
    <li className={styles.review}>
      <div className={styles.who}>
        <Link to="/reviews/$reviewId" params={{ reviewId: review_id }}>
          <bdi>{name}</bdi>
        </Link>
        <span className={styles.quiet}>
          <Plural value={row_count} one={`${decided} of # row decided`} other={`${decided} of # rows decided`} />
        </span>
      </div>
      <span className={styles.when}>
        {closed_at === null ? (
          <Trans>
            due <Instant value={due_at} style="full" />
          </Trans>
        ) : (
          <Trans>
            closed <Instant value={closed_at} style="date" />
          </Trans>
        )}
      </span>
      <span>
        <Badge kind={state === 'open' ? 'accent' : 'plain'}>{state === 'open' ? t`Open` : t`Closed`}</Badge>
      </span>
    </li>
  )
}
