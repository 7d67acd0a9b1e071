/** The deliveries of an endpoint. */
import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect, Skeleton, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookDelivery, WebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { type DeliveryStatus, deliveriesQuery, pageSize } from '../../data/webhooks.ts'
import { type Column, type Disclosure, plainLook, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records } from '../../ui/records.tsx'
import { DetailsOpener, RowActions } from '../../ui/row-actions.tsx'
import { Section } from '../../ui/section.tsx'
import { NextAttempt, SendAgain } from '../../ui/send-again.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './deliveries.module.css'
import { DeliveryDetails } from './delivery-details.tsx'
import { DeliveryBadge } from './health-badge.tsx'

const statuses = ['delivered', 'due', 'queued', 'dead'] as const satisfies readonly DeliveryStatus[]

export function Deliveries({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { t } = useLingui()
  const { endpoint_id } = endpoint
  const [status, setStatus] = useState<DeliveryStatus | undefined>()
  const query = useInfiniteQuery(deliveriesQuery(endpoint_id, status))
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries)
  const labels: Record<DeliveryStatus, string> = {
    delivered: t`Delivered`,
    due: t`Pending`,
    queued: t`Waiting for an earlier delivery`,
    dead: t`Failed`,
  }
  return (
    <Section
      title={<Trans>Deliveries</Trans>}
      description={<Trans>Newest first. Successful deliveries are kept for a week, others for a month.</Trans>}
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
      <Records
        source={query}
        rows={deliveries}
        problem={t`Could not load the deliveries.`}
        waiting={
          <Stack gap="md" aria-busy="true">
            <Skeleton height={14} width="60%" />
            <Skeleton height={14} width="70%" />
            <Skeleton height={14} width="50%" />
          </Stack>
        }
        empty={
          <p className={styles.empty} role="status">
            {status === undefined ? (
              <Trans>Nothing has been sent yet. Send a test to see whether the receiver responds.</Trans>
            ) : (
              <Trans>No deliveries in this state.</Trans>
            )}
          </p>
        }
        more={{ label: <Trans>Show more</Trans>, size: 'sm', className: styles.more }}
      >
        {(rows) => <DeliveryTable endpoint={endpoint} deliveries={rows} />}
      </Records>
    </Section>
  )
}

type TableProps = { endpoint: WebhookEndpoint; deliveries: readonly WebhookDelivery[] }

function DeliveryTable({ endpoint, deliveries }: TableProps) {
  const { t } = useLingui()
  const columns: Column<WebhookDelivery>[] = [
    {
      label: t`Event`,
      kind: 'name',
      cell: ({ type }) => (
        <code dir="ltr" className={styles.type}>
          {type}
        </code>
      ),
    },
    { label: t`State`, cell: (delivery) => <DeliveryBadge delivery={delivery} /> },
    { label: t`Attempts`, cell: ({ attempt_count }) => attempt_count },
    { label: t`Created`, className: records.nowrap, cell: ({ created_at }) => <Instant value={created_at} /> },
    {
      label: t`Next attempt`,
      className: records.nowrap,
      cell: ({ status, next_attempt_at }) => <NextAttempt at={status === 'due' ? next_attempt_at : null} />,
    },
    {
      label: t`Actions`,
      kind: 'actions',
      cell: (delivery, details) => <DeliveryActions endpoint={endpoint} delivery={delivery} details={details} />,
    },
  ]
  return (
    <RecordTable
      rows={deliveries}
      keyOf={({ delivery_id }) => delivery_id}
      columns={columns}
      look={plainLook}
      isOpening
      details={(delivery) => <DeliveryDetails delivery={delivery} />}
    />
  )
}

type ActionsProps = { endpoint: WebhookEndpoint; delivery: WebhookDelivery; details: Disclosure }

function DeliveryActions({ endpoint, delivery: { delivery_id, type, status }, details }: ActionsProps) {
  const { t } = useLingui()
  const mayWrite = useCan('webhooks:write')
  const { endpoint_id } = endpoint
  const isOver = status === 'delivered' || status === 'dead'
  return (
    <RowActions>
      {mayWrite && isOver && endpoint.active && (
        <SendAgain
          id={delivery_id}
          name={type}
          send={(id, options) => api.webhooks.redeliver(endpoint_id, id, options)}
          queryKey={['webhooks', endpoint_id]}
          done={t`The delivery is being sent again.`}
          failed={t`The delivery was not sent again.`}
        />
      )}
      <DetailsOpener details={details} label={t`Attempts: ${type}`}>
        <Trans>Attempts</Trans>
      </DetailsOpener>
    </RowActions>
  )
}
