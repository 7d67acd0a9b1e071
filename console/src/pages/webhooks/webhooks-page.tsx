import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { WebhookEndpoint } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { endpointsQuery, lastDeliveryQuery } from '../../data/webhooks.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Instant } from '../../ui/time.tsx'
import { FailureNote } from './failure-note.tsx'
import { DeliveryBadge, HealthBadge } from './health-badge.tsx'
import styles from './webhooks-page.module.css'

const { Component: CreateWebhookDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('./create-webhook-dialog.tsx'),
)

export default function WebhooksPage() {
  const { t } = useLingui()
  const query = useQuery(endpointsQuery)
  // A webhook reveals the same as the change feed, so it needs both permissions.
  const mayWrite = useCan('webhooks:write')
  const maySeeEvents = useCan('events:read')
  const mayCreate = mayWrite && maySeeEvents
  const [isCreating, setIsCreating] = useState(false)
  usePreloadCreate()
  useShortcut('c', t`Create webhook`, () => setIsCreating(true), { opensField: true, isOn: mayCreate })
  const create = mayCreate && (
    <Button leftSection={<IconPlus />} onClick={() => setIsCreating(true)}>
      <Trans>Create webhook</Trans>
    </Button>
  )
  return (
    <Page
      title={t`Webhooks`}
      description={
        <Trans>
          Sends each change to your systems as a signed request, in order for each user, and retries until it is
          delivered.
        </Trans>
      }
      changes={['webhooks:write', 'events:read']}
      calls={[{ operation: 'GET /webhooks' }]}
      actions={query.data !== undefined && query.data.length > 0 && create}
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the webhooks.`}
        waiting={<WaitingTable rows={3} widths={['45%', '20%']} />}
        empty={
          <Empty title={<Trans>There are no webhooks yet.</Trans>}>
            <p>
              <Trans>
                A webhook sends changes to users, sessions, keys and roles to your URL. To poll instead, use{' '}
                <code>GET /events</code>.
              </Trans>
            </p>
            {create}
          </Empty>
        }
      >
        {(endpoints) => <EndpointTable endpoints={endpoints} />}
      </Records>
      <Suspense fallback={null}>{isCreating && <CreateWebhookDialog onClose={() => setIsCreating(false)} />}</Suspense>
    </Page>
  )
}

function EndpointTable({ endpoints }: { endpoints: readonly WebhookEndpoint[] }) {
  const { t } = useLingui()
  const columns: Column<WebhookEndpoint>[] = [
    { label: t`URL`, kind: 'name', cell: (endpoint) => <Address endpoint={endpoint} /> },
    { label: t`Events`, cell: ({ event_types }) => <EventTypes types={event_types} /> },
    {
      label: t`State`,
      cell: (endpoint) => (
        <Stack gap={4} align="flex-start">
          <HealthBadge endpoint={endpoint} />
          <FailureNote endpoint={endpoint} />
        </Stack>
      ),
    },
    { label: t`Last delivery`, cell: ({ endpoint_id }) => <LastDelivery endpointId={endpoint_id} /> },
  ]
  return <RecordTable rows={endpoints} keyOf={({ endpoint_id }) => endpoint_id} columns={columns} isOpening />
}

function Address({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { endpoint_id: endpointId, url, description } = endpoint
  return (
    <>
      <Link data-opens to="/webhooks/$endpointId" params={{ endpointId }} className={records.name ?? ''} dir="ltr">
        {url}
      </Link>{' '}
      <FileBadge of={endpoint} />
      {description !== '' && <div className={records.under}>{description}</div>}
    </>
  )
}

function EventTypes({ types }: { types: WebhookEndpoint['event_types'] }) {
  if (types === null) return <Trans>All events</Trans>
  return (
    <div className={styles.types}>
      {types.map((type) => (
        <code key={type} dir="ltr">
          {type}
        </code>
      ))}
    </div>
  )
}

function LastDelivery({ endpointId }: { endpointId: string }) {
  const { t } = useLingui()
  const { data, isPending, isError } = useQuery(lastDeliveryQuery(endpointId))
  return (
    <>
      {isPending && <Skeleton height={14} width="6rem" />}
      {isError && <span className={styles.since}>{t`Unknown`}</span>}
      {data === null && <span className={styles.since}>{t`Nothing was sent yet`}</span>}
      {data && (
        <Stack gap={4} align="flex-start">
          <DeliveryBadge delivery={data} />
          <span className={styles.since}>
            <Instant value={data.finished_at ?? data.created_at} />
          </span>
        </Stack>
      )}
    </>
  )
}
