import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { WebhookEndpoint } from 'rollbook/client'
import { useCan } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { useShortcut } from '../shortcuts/shortcuts.ts'
import { IconPlus } from '../ui/icons.tsx'
import { loadedAhead } from '../ui/loaded-ahead.tsx'
import { openingRow } from '../ui/open-row.ts'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import records from '../ui/records.module.css'
import { Instant } from '../ui/time.tsx'
import { FailureNote } from './failure-note.tsx'
import { DeliveryBadge, HealthBadge } from './health-badge.tsx'
import { endpointsQuery, lastDeliveryQuery } from './queries.ts'
import styles from './webhooks-page.module.css'

const { Component: CreateWebhookDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('./create-webhook-dialog.tsx'),
)

export default function WebhooksPage() {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(endpointsQuery)
  // Who is sent the events sees what the change feed shows.
  const mayWrite = useCan('webhooks:write')
  const maySeeEvents = useCan('events:read')
  const mayCreate = mayWrite && maySeeEvents
  const [isCreating, setIsCreating] = useState(false)
  usePreloadCreate()
  useShortcut('c', t`Create a webhook`, () => setIsCreating(true), { opensField: true, isOn: mayCreate })
  const create = (
    <Button
      leftSection={<IconPlus />}
      disabled={!mayCreate}
      title={mayCreate ? undefined : t`This needs the permissions webhooks:write and events:read.`}
      onClick={() => setIsCreating(true)}
    >
      <Trans>Create a webhook</Trans>
    </Button>
  )
  return (
    <Page
      title={t`Webhooks`}
      description={
        <Trans>
          Sends each change to your systems as a signed request, in order for each user, and retries until it has
          arrived.
        </Trans>
      }
      actions={
        <>
          <ApiCallButton calls={[{ operation: 'GET /webhooks' }]} />
          {data !== undefined && data.length > 0 && create}
        </>
      }
    >
      {error && <Problem error={error} retry={() => void refetch()} title={t`The webhooks could not be read.`} />}
      {data === undefined && !error && (
        <div className={records.frame} aria-busy="true">
          {[0, 1, 2].map((row) => (
            <div key={row} className={styles.waiting}>
              <Skeleton height={14} width="45%" />
              <Skeleton height={14} width="20%" />
            </div>
          ))}
        </div>
      )}
      {data?.length === 0 && (
        <div className={styles.empty}>
          <p>
            <strong>
              <Trans>There are no webhooks yet.</Trans>
            </strong>
          </p>
          <p>
            <Trans>
              A webhook sends what happens to users, sessions, keys and roles to a URL of yours. To poll instead, read
              the same at <code>GET /events</code>.
            </Trans>
          </p>
          {create}
        </div>
      )}
      {data !== undefined && data.length > 0 && <EndpointTable endpoints={data} />}
      <Suspense fallback={null}>{isCreating && <CreateWebhookDialog onClose={() => setIsCreating(false)} />}</Suspense>
    </Page>
  )
}

function EndpointTable({ endpoints }: { endpoints: readonly WebhookEndpoint[] }) {
  const { t } = useLingui()
  return (
    <div className={records.box}>
      <table className={records.table}>
        <thead>
          <tr>
            <th scope="col">{t`URL`}</th>
            <th scope="col">{t`Events`}</th>
            <th scope="col">{t`State`}</th>
            <th scope="col">{t`Last delivery`}</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <EndpointRow key={endpoint.endpoint_id} endpoint={endpoint} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function EndpointRow({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { t } = useLingui()
  const { endpoint_id: endpointId, url, description, event_types } = endpoint
  const last = useQuery(lastDeliveryQuery(endpointId))
  return (
    <tr {...openingRow}>
      <td>
        <Link data-opens to="/webhooks/$endpointId" params={{ endpointId }} className={records.name ?? ''} dir="ltr">
          {url}
        </Link>
        {description !== '' && <div className={records.under}>{description}</div>}
      </td>
      <td data-label={t`Events`}>
        {event_types === null ? (
          <Trans>All events</Trans>
        ) : (
          <div className={styles.types}>
            {event_types.map((type) => (
              <code key={type} dir="ltr">
                {type}
              </code>
            ))}
          </div>
        )}
      </td>
      <td data-label={t`State`}>
        <div className={styles.state}>
          <HealthBadge endpoint={endpoint} />
          <FailureNote endpoint={endpoint} />
        </div>
      </td>
      <td data-label={t`Last delivery`}>
        {last.isPending && <Skeleton height={14} width="6rem" />}
        {last.isError && <span className={styles.since}>{t`Unknown`}</span>}
        {last.data === null && <span className={styles.since}>{t`Nothing was sent yet`}</span>}
        {last.data && (
          <div className={styles.state}>
            <DeliveryBadge delivery={last.data} />
            <span className={styles.since}>
              <Instant value={last.data.finished_at ?? last.data.created_at} />
            </span>
          </div>
        )}
      </td>
    </tr>
  )
}
