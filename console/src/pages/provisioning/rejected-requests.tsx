import { Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { RejectedRequest } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { rejectedQuery } from '../../data/provisioning.ts'
import refused from '../../parts/connections/refused.module.css'
import { Badge } from '../../ui/badge.tsx'
import { DetailsButton } from '../../ui/details-button.tsx'
import { type Column, plainLook, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records } from '../../ui/records.tsx'
import { Section } from '../../ui/section.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './provisioning.module.css'

/** Shows each rejected request: its content, the reason, and what to change. */
export function RejectedRequests({ connectionId }: { connectionId: string }) {
  const { t } = useLingui()
  const query = useQuery(rejectedQuery(connectionId))
  const columns: Column<RejectedRequest>[] = [
    { label: t`Request`, kind: 'name', cell: (request) => <RequestLine request={request} /> },
    {
      label: t`Reason`,
      cell: ({ status, scim_type, detail }) => (
        <div className={refused.reason}>
          <Badge kind="fault">
            <bdi dir="ltr">{scim_type === null ? status : `${status} ${scim_type}`}</bdi>
          </Badge>
          <span lang="en" dir="auto">
            {detail}
          </span>
        </div>
      ),
    },
    {
      label: t`Time`,
      className: records.nowrap,
      cell: ({ rejected_at }) => <Instant value={rejected_at} />,
    },
    { label: t`Actions`, kind: 'actions', cell: (_, details) => <DetailsButton {...details} /> },
  ]
  return (
    <Section
      title={<Trans>Rejected requests</Trans>}
      description={<Trans>The latest 200, for up to 14 days. Accepted requests are in the audit.</Trans>}
      actions={
        <ApiCallButton
          size="xs"
          calls={[
            {
              operation: 'GET /provisioning/{connection_id}/rejected-requests',
              path: { connection_id: connectionId },
              query: { limit: 200 },
            },
          ]}
        />
      }
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the rejected requests.`}
        waiting={<Skeleton height={14} width="60%" />}
        empty={
          <p className={styles.quiet} role="status">
            <Trans>No request was rejected.</Trans>
          </p>
        }
      >
        {(requests) => (
          <RecordTable
            rows={requests}
            keyOf={({ rejection_id }) => rejection_id}
            columns={columns}
            look={plainLook}
            caption={t`Rejected requests`}
            details={(request) => <Details request={request} />}
          />
        )}
      </Records>
    </Section>
  )
}

function RequestLine({ request: { method, path } }: { request: RejectedRequest }) {
  return (
    <code dir="ltr" className={styles.request}>
      {method} {path}
    </code>
  )
}

function Details({ request: { advice, body, request_id } }: { request: RejectedRequest }) {
  return (
    <div className={refused.told}>
      <p>
        <strong>
          <Trans>What to change</Trans>
        </strong>{' '}
        <span lang="en" dir="auto">
          {advice}
        </span>
      </p>
      {body === null ? (
        <p className={styles.quiet}>
          <Trans>The request had no body, or one that is not JSON.</Trans>
        </p>
      ) : (
        // A part that scrolls must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
        <pre className={styles.body} dir="ltr" tabIndex={0}>
          {indented(body)}
        </pre>
      )}
      <p className={styles.quiet}>
        X-Request-Id <code dir="ltr">{request_id}</code>
      </p>
    </div>
  )
}

/** A truncated body is not valid JSON. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
