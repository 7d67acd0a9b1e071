/** What was sent to an endpoint, and what became of it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { WebhookDelivery, WebhookEndpoint } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { openingRow } from '../ui/open-row.ts'
import { detailOf, Problem } from '../ui/problem.tsx'
import records from '../ui/records.module.css'
import { Section } from '../ui/section.tsx'
import { Instant } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import styles from './deliveries.module.css'
import { DeliveryDetails } from './delivery-details.tsx'
import { DeliveryBadge } from './health-badge.tsx'
import { type DeliveryStatus, deliveriesQuery, pageSize } from './queries.ts'

const statuses = ['delivered', 'due', 'queued', 'dead'] as const satisfies readonly DeliveryStatus[]

export function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { t } = useLingui()
  const { endpoint_id } = endpoint
  const [status, setStatus] = useState<DeliveryStatus | undefined>()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    deliveriesQuery(endpoint_id, status),
  )
  const deliveries = data?.pages.flatMap((page) => page.deliveries)
  const labels: Record<DeliveryStatus, string> = {
    delivered: t`Delivered`,
    due: t`Pending`,
    queued: t`Waiting for an earlier delivery`,
    dead: t`Failed`,
  }
  return (
    <Section
      title={<Trans>Deliveries</Trans>}
      description={<Trans>Newest first. Delivered ones are kept for a week, the others for a month.</Trans>}
      actions={
        <>
          <ApiCallButton
            size="xs"
            calls={[
              {
                operation: 'GET /webhooks/{endpoint_id}/deliveries',
                path: { endpoint_id },
                query: { status, limit: pageSize },
              },
            ]}
          />
          <NativeSelect
            size="xs"
            aria-label={t`State of the deliveries`}
            value={status ?? ''}
            data={[{ value: '', label: t`All` }, ...statuses.map((value) => ({ value, label: labels[value] }))]}
            onChange={({ currentTarget: { value } }) => setStatus(statuses.find((one) => one === value))}
          />
        </>
      }
    >
      {error && <Problem error={error} retry={() => void refetch()} title={t`The deliveries could not be read.`} />}
      {deliveries === undefined && !error && (
        <div className={styles.waiting} aria-busy="true">
          <Skeleton height={14} width="60%" />
          <Skeleton height={14} width="70%" />
          <Skeleton height={14} width="50%" />
        </div>
      )}
      {deliveries?.length === 0 && (
        <p className={styles.empty} role="status">
          {status === undefined ? (
            <Trans>Nothing has been sent yet. Send a test to see whether the receiver answers.</Trans>
          ) : (
            <Trans>No deliveries in this state.</Trans>
          )}
        </p>
      )}
      {deliveries !== undefined && deliveries.length > 0 && (
        <div className={records.box}>
          <table className={`${records.table} ${records.plain}`}>
            <thead>
              <tr>
                <th scope="col">{t`Event`}</th>
                <th scope="col">{t`State`}</th>
                <th scope="col">{t`Attempts`}</th>
                <th scope="col">{t`Created`}</th>
                <th scope="col">{t`Next attempt`}</th>
                <td>
                  <span className="visually-hidden">{t`Actions`}</span>
                </td>
              </tr>
            </thead>
            <tbody>
              {deliveries.map((delivery) => (
                <DeliveryRow key={delivery.delivery_id} endpoint={endpoint} delivery={delivery} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hasNextPage && (
        <Button
          variant="default"
          size="sm"
          className={styles.more ?? ''}
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          <Trans>Show more</Trans>
        </Button>
      )}
    </Section>
  )
}

function DeliveryRow({ endpoint, delivery }: { endpoint: WebhookEndpoint; delivery: WebhookDelivery }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const mayWrite = useCan('webhooks:write')
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const { endpoint_id, delivery_id, type, status, attempt_count, created_at, next_attempt_at } = delivery
  const { submit, isPending } = useSubmit(
    async (one: string, idempotencyKey) => {
      try {
        return await api.webhooks.redeliver(endpoint_id, one, { idempotencyKey })
      } catch (error) {
        const unreachable = t`The service cannot be reached. Check the connection.`
        showToast({ kind: 'fault', message: t`It was not sent again. ${detailOf(error, unreachable)}` })
        throw error
      }
    },
    {
      onSuccess() {
        showToast({ message: t`The delivery is being sent again.` })
        void queries.invalidateQueries({ queryKey: ['webhooks', endpoint_id] })
      },
    },
  )
  const isOver = status === 'delivered' || status === 'dead'
  // Of an endpoint that fails one delivery at a time finds out whether it is back.
  const isLate = status === 'due' && Date.parse(next_attempt_at ?? '') < Date.now()
  return (
    <>
      <tr {...openingRow} data-open={isOpen}>
        <td>
          <code dir="ltr" className={styles.type}>
            {type}
          </code>
        </td>
        <td data-label={t`State`}>
          <DeliveryBadge delivery={delivery} />
        </td>
        <td data-label={t`Attempts`}>{attempt_count}</td>
        <td className={records.nowrap} data-label={t`Created`}>
          <Instant value={created_at} />
        </td>
        <td className={records.nowrap} data-label={t`Next attempt`}>
          {isLate ? (
            <Trans>As soon as possible</Trans>
          ) : (
            <Instant value={status === 'due' ? next_attempt_at : null} style="until" />
          )}
        </td>
        <td>
          <div className={records.actions}>
            {mayWrite && isOver && endpoint.active && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="var(--rb-accent)"
                loading={isPending}
                aria-label={t`Send again: ${type}`}
                onClick={() => submit(delivery_id)}
              >
                <Trans>Send again</Trans>
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="subtle"
              color="var(--rb-accent)"
              data-opens
              aria-expanded={isOpen}
              aria-controls={id}
              aria-label={t`Attempts: ${type}`}
              onClick={() => setIsOpen(!isOpen)}
            >
              <Trans>Attempts</Trans>
            </Button>
          </div>
        </td>
      </tr>
      <tr id={id} hidden={!isOpen} className={styles.details}>
        <td colSpan={6}>{isOpen && <DeliveryDetails delivery={delivery} />}</td>
      </tr>
    </>
  )
}
