import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Organization, OrganizationDomain } from 'rollbook/client'
import { useCan, useCanEverywhere } from '../../api/me.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { DetailsOpener, RowAction, RowActions } from '../../ui/row-actions.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
import styles from './organizations.module.css'
import { Tab } from './tab.tsx'
import { VerifyDomain } from './verify-domain.tsx'

const AddDomainDialog = lazy(() => import('./add-domain-dialog.tsx'))
const RemoveDomainDialog = lazy(() => import('./remove-domain-dialog.tsx'))

/** Whether the viewer may add and prove domains: of any organization, or of their own. */
function useMayChangeDomains(): boolean {
  const mayWrite = useCanEverywhere('organizations:write')
  const mayConnect = useCan('connections:write')
  const isEverywhere = useCanEverywhere('connections:write')
  return mayWrite || (mayConnect && !isEverywhere)
}

export function DomainsTab({ organization }: { organization: Organization }) {
  const { t } = useLingui()
  const { domains, organization_id } = organization
  const mayWrite = useMayChangeDomains()
  const [isAdding, setIsAdding] = useState(false)
  const [removed, setRemoved] = useState<OrganizationDomain>()
  const columns: Column<OrganizationDomain>[] = [
    { label: t`Domain`, kind: 'name', cell: ({ domain }) => <strong dir="ltr">{domain}</strong> },
    {
      label: t`State`,
      cell: ({ verified_at }) =>
        verified_at === null ? (
          <State kind="warn">{t`Not verified yet`}</State>
        ) : (
          <State kind="good">{t`Verified`}</State>
        ),
    },
    { label: t`Since`, cell: ({ verified_at }) => <Instant value={verified_at} style="date" /> },
    {
      label: t`Actions`,
      kind: 'actions',
      cell: (domain, details) => (
        <RowActions>
          {domain.verified_at === null && (
            <DetailsOpener details={details} label={t`Verify ${domain.domain}`}>
              <Trans>Verify</Trans>
            </DetailsOpener>
          )}
          {mayWrite && (
            <RowAction label={t`Remove ${domain.domain}`} tone="fault" onClick={() => setRemoved(domain)}>
              <Trans>Remove</Trans>
            </RowAction>
          )}
        </RowActions>
      ),
    },
  ]
  return (
    <Tab
      note={
        <Trans>
          A verified domain belongs to one organization. Its connections route and create users with addresses there.
        </Trans>
      }
      actions={
        mayWrite && (
          <Button leftSection={<IconPlus />} onClick={() => setIsAdding(true)}>
            <Trans>Add domain</Trans>
          </Button>
        )
      }
    >
      {domains.length === 0 ? (
        <Empty title={<Trans>It has no domains yet.</Trans>}>
          <p>
            <Trans>
              Add the part of its email addresses after the @, and prove with a DNS record that it is its own.
            </Trans>
          </p>
        </Empty>
      ) : (
        <RecordTable
          rows={domains}
          keyOf={({ domain }) => domain}
          columns={columns}
          isOpening
          details={(domain) => <DomainRecord organizationId={organization_id} domain={domain} />}
        />
      )}
      <Suspense fallback={null}>
        {isAdding && <AddDomainDialog organization={organization} onClose={() => setIsAdding(false)} />}
        {removed && (
          <RemoveDomainDialog organization={organization} domain={removed} onClose={() => setRemoved(undefined)} />
        )}
      </Suspense>
    </Tab>
  )
}

type RecordProps = { organizationId: string; domain: OrganizationDomain }

/** The TXT record that proves the domain, to copy, and the check for it. */
function DomainRecord({ organizationId, domain: { domain, record_name, record_value } }: RecordProps) {
  const { t } = useLingui()
  const mayWrite = useMayChangeDomains()
  return (
    <div className={styles.record}>
      <p>
        <Trans>
          Publish this TXT record at the DNS provider of the domain. It may take some minutes until it is seen.
        </Trans>
      </p>
      <dl className={styles.facts}>
        <dt>
          <Trans>Type</Trans>
        </dt>
        <dd>
          <code>TXT</code>
        </dd>
        <dt>
          <Trans>Name</Trans>
        </dt>
        <dd>
          <CopyLine text={record_name} label={t`the name of the record`} />
        </dd>
        <dt>
          <Trans>Value</Trans>
        </dt>
        <dd>
          <CopyLine text={record_value} label={t`the value of the record`} />
        </dd>
      </dl>
      {mayWrite && <VerifyDomain organizationId={organizationId} domain={domain} />}
    </div>
  )
}
