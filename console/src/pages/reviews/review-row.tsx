import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { Ref } from 'react'
import type { ReviewRow } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { RowAction, RowActions } from '../../ui/row-actions.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './reviews.module.css'
import type { Decision } from './use-row-decisions.ts'
import { kindOfState, nameOfParty, nameOfRow, useAccessText, useRowStates } from './words.ts'

type Props = {
  reviewId: string
  row: ReviewRow
  isCurrent: boolean
  isPending: boolean
  /** Why it could not be decided. */
  refusal: string | undefined
  ref: Ref<HTMLLIElement>
  onFocus: () => void
  /** Left out if the viewer cannot decide. */
  onDecide: ((decision: Decision) => void) | undefined
}

export function OneRow({ reviewId, row, isCurrent, isPending, refusal, ref, onFocus, onDecide }: Props) {
  const { t } = useLingui()
  const states = useRowStates()
  const accessText = useAccessText()
  const name = nameOfRow(row)
  const access = accessText(row)
  const by = nameOfParty(row.granted_by)
  const isExpired = row.user_expires_at !== undefined && Date.parse(row.user_expires_at) <= Date.now()
  const full = `${row.first_name} ${row.last_name}`.trim()
  return (
    <li
      ref={ref}
      className={styles.row}
      tabIndex={isCurrent ? 0 : -1}
      aria-current={isCurrent || undefined}
      aria-label={`${name}, ${access}, ${states[row.state]}`}
      onFocus={onFocus}
    >
      <div className={styles.who}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {full !== '' && (
          <span className={styles.quiet}>
            <bdi>{full}</bdi>
          </span>
        )}
        {(!row.active || isExpired) && (
          <span>
            <Badge kind="warn">{row.active ? t`Expired` : t`Disabled`}</Badge>
          </span>
        )}
      </div>
      <div className={styles.who}>
        <span>
          <bdi>{access}</bdi>
        </span>
        {row.since !== null && (
          <span className={styles.quiet}>
            {by ? (
              <Trans>
                since <Instant value={row.since} style="date" />, by <bdi>{by}</bdi>
              </Trans>
            ) : (
              <Trans>
                since <Instant value={row.since} style="date" />
              </Trans>
            )}
          </span>
        )}
      </div>
      <div className={styles.when}>
        <span>
          <Trans>
            Last sign-in: <Instant value={row.last_login_at} never={t`never`} />
          </Trans>
        </span>
        <span className={styles.quiet}>{row.second_factor ? t`With a second factor` : t`No second factor`}</span>
      </div>
      <div className={styles.when}>
        <span>
          <Badge kind={kindOfState[row.state]}>{states[row.state]}</Badge>
        </span>
        {row.decided_by !== null && (
          <span className={styles.quiet}>
            <Trans>
              by <bdi>{nameOfParty(row.decided_by)}</bdi> <Instant value={row.decided_at} />
            </Trans>
          </span>
        )}
        {row.comment !== '' && (
          <span className={styles.quiet}>
            <bdi>{row.comment}</bdi>
          </span>
        )}
        {onDecide !== undefined && row.state !== 'changed_meanwhile' && (
          <Decisions row={row} isPending={isPending} onDecide={onDecide} />
        )}
      </div>
      {isCurrent && onDecide !== undefined && (row.state === 'open' || row.state === 'kept') && (
        <Effect reviewId={reviewId} row={row} />
      )}
      {refusal !== undefined && (
        <p className={styles.refused} role="alert">
          {refusal}
        </p>
      )}
    </li>
  )
}

type DecisionsProps = { row: ReviewRow; isPending: boolean; onDecide: (decision: Decision) => void }

function Decisions({ row, isPending, onDecide }: DecisionsProps) {
  const { t } = useLingui()
  const name = nameOfRow(row)
  const access = useAccessText()(row)
  return (
    <RowActions>
      {row.state !== 'kept' && (
        <RowAction
          label={row.state === 'removed' ? t`Give back: ${name}, ${access}` : t`Keep: ${name}, ${access}`}
          isPending={isPending}
          onClick={() => onDecide('keep')}
        >
          {row.state === 'removed' ? <Trans>Give back</Trans> : <Trans>Keep</Trans>}
        </RowAction>
      )}
      {row.state !== 'removed' && (
        <RowAction
          label={t`Remove: ${name}, ${access}`}
          tone="fault"
          isPending={isPending}
          onClick={() => onDecide('remove')}
        >
          <Trans>Remove</Trans>
        </RowAction>
      )}
    </RowActions>
  )
}

/** What removing would do, tried without doing it. */
function Effect({ reviewId, row }: { reviewId: string; row: ReviewRow }) {
  const accessText = useAccessText()
  const { data } = useQuery({
    queryKey: ['review-trial', reviewId, row.row_id, row.state],
    queryFn: ({ signal }) =>
      api.reviews.decide(reviewId, { row_ids: [row.row_id], decision: 'remove' }, { dryRun: true, signal }),
    staleTime: 10_000,
    gcTime: 10_000,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const tried = data?.rows[0]
  if (tried === undefined) return null
  const access = accessText(row)
  return (
    <p className={styles.effect}>
      {tried.code !== undefined ? (
        <Trans>Cannot be removed: {tried.detail}</Trans>
      ) : tried.state === 'changed_meanwhile' ? (
        <Trans>The access is not as it was when the review began. Removing changes nothing.</Trans>
      ) : (
        <Trans>
          Removing takes this away at once: <bdi>{access}</bdi>. Keeping it later gives it back.
        </Trans>
      )}
    </p>
  )
}
