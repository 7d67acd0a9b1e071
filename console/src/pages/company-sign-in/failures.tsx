import { Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SignInFailure } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { failuresQuery } from '../../data/sign-in-connections.ts'
import refused from '../../parts/connections/refused.module.css'
import { Badge } from '../../ui/badge.tsx'
import { DetailsButton } from '../../ui/details-button.tsx'
import { type Column, plainLook, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records } from '../../ui/records.tsx'
import { Section } from '../../ui/section.tsx'
import { ServiceText } from '../../ui/service-text.tsx'
import { Instant } from '../../ui/time.tsx'
import { ClaimsTable } from './claims-table.tsx'
import { Outcome } from './outcome.tsx'
import { useReasonDetails, useReasonWords } from './reason-words.ts'
import styles from './sign-in-connections.module.css'

/** Each sign-in that failed: why, what to change, and what arrived. */
export function Failures({ connectionId: connection_id }: { connectionId: string }) {
  const { t } = useLingui()
  const words = useReasonWords()
  const reasonDetail = useReasonDetails()
  const query = useQuery(failuresQuery(connection_id))
  const columns: Column<SignInFailure>[] = [
    {
      label: t`Reason`,
      kind: 'name',
      cell: ({ reason, detail, test_outcome, test_reason }) => (
        <div className={refused.reason}>
          {reason === 'test' ? (
            <Badge>
              <Trans>Test</Trans>
            </Badge>
          ) : (
            <Badge kind="fault">{words(reason)}</Badge>
          )}
          {test_outcome === null ? (
            <span>{reasonDetail(reason) ?? <ServiceText>{detail}</ServiceText>}</span>
          ) : (
            <Outcome outcome={test_outcome} reason={test_reason ?? undefined} detail={detail} />
          )}
        </div>
      ),
    },
    { label: t`Time`, className: records.nowrap, cell: ({ failed_at }) => <Instant value={failed_at} /> },
    { label: t`Actions`, kind: 'actions', cell: (_, details) => <DetailsButton {...details} /> },
  ]
  return (
    <Section
      title={<Trans>Failed sign-ins and tests</Trans>}
      description={<Trans>The latest 100, for up to 14 days.</Trans>}
      actions={
        <ApiCallButton
          size="xs"
          calls={[{ operation: 'GET /connections/{connection_id}/failures', path: { connection_id } }]}
        />
      }
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the failed sign-ins.`}
        waiting={<Skeleton height={14} width="60%" />}
        empty={
          <p className={styles.quiet} role="status">
            <Trans>No sign-in failed.</Trans>
          </p>
        }
      >
        {(failures) => (
          <RecordTable
            rows={failures}
            keyOf={({ failure_id }) => failure_id}
            columns={columns}
            look={plainLook}
            caption={t`Failed sign-ins and tests`}
            details={(failure) => <Details failure={failure} />}
          />
        )}
      </Records>
    </Section>
  )
}

function Details({ failure: { claims, reason, request_id } }: { failure: SignInFailure }) {
  return (
    <div className={refused.told}>
      {claims.length === 0 ? (
        <p className={styles.quiet}>
          <Trans>No claims: nothing that could be verified arrived, or you may not see users.</Trans>
        </p>
      ) : (
        <ClaimsTable claims={claims} />
      )}
      <p className={styles.quiet}>
        <Trans>The number that the page showed to the user:</Trans> <code dir="ltr">{request_id}</code>
      </p>
      <p className={styles.quiet}>
        <Trans>The reason as the API returns it:</Trans> <code dir="ltr">{reason}</code>
      </p>
    </div>
  )
}
