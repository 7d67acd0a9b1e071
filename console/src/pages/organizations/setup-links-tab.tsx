import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { Organization, OrganizationSetupLink } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { setupLinksQuery } from '../../data/organizations.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { RowAction, RowActions } from '../../ui/row-actions.tsx'
import { State } from '../../ui/state.tsx'
import { Instant } from '../../ui/time.tsx'
import { useSetupFeatures } from './setup-features.ts'
import { Tab } from './tab.tsx'

const CreateSetupLinkDialog = lazy(() => import('./create-setup-link-dialog.tsx'))
const RevokeSetupLinkDialog = lazy(() => import('./revoke-setup-link-dialog.tsx'))

/** Links with which an IT administrator of the organization sets it up without an account. */
export function SetupLinksTab({ organization }: { organization: Organization }) {
  const { t, i18n } = useLingui()
  const { organization_id } = organization
  const query = useQuery(setupLinksQuery(organization_id))
  const { mine, labels } = useSetupFeatures()
  const [isCreating, setIsCreating] = useState(false)
  const [revoked, setRevoked] = useState<OrganizationSetupLink>()
  const listOf = (link: OrganizationSetupLink) =>
    new Intl.ListFormat(i18n.locale).format(link.features.map((feature) => labels[feature]))
  const columns: Column<OrganizationSetupLink>[] = [
    { label: t`For`, kind: 'name', cell: (link) => listOf(link) },
    { label: t`State`, cell: ({ state }) => <LinkState state={state} /> },
    { label: t`Works until`, cell: ({ expires_at }) => <Instant value={expires_at} style="date" /> },
    { label: t`Sent to`, cell: ({ email }) => (email === null ? t`Not by email` : <bdi dir="ltr">{email}</bdi>) },
    { label: t`Last opened`, cell: ({ last_used_at }) => <Instant value={last_used_at} never={t`Never`} /> },
    { label: t`Created by`, cell: ({ created_by }) => <bdi>{created_by.name}</bdi> },
    {
      label: t`Actions`,
      kind: 'actions',
      cell: (link) =>
        link.state === 'active' && (
          <RowActions>
            <RowAction label={t`Revoke the link for ${listOf(link)}`} tone="fault" onClick={() => setRevoked(link)}>
              <Trans>Revoke</Trans>
            </RowAction>
          </RowActions>
        ),
    },
  ]
  return (
    <Tab
      note={
        <Trans>
          A link lets an IT administrator of the customer set this up, without an account: domains, company sign-in and
          provisioning, and nothing else.
        </Trans>
      }
      actions={
        <>
          <ApiCallButton
            size="xs"
            calls={[{ operation: 'GET /organizations/{organization_id}/setup-links', path: { organization_id } }]}
          />
          {mine.length > 0 && (
            <Button leftSection={<IconPlus />} onClick={() => setIsCreating(true)}>
              <Trans>Create setup link</Trans>
            </Button>
          )}
        </>
      }
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the setup links.`}
        waiting={<WaitingTable rows={2} widths={['35%', '20%']} />}
        empty={<Empty title={<Trans>There are no setup links yet.</Trans>} />}
      >
        {(links) => <RecordTable rows={links} keyOf={({ setup_link_id }) => setup_link_id} columns={columns} />}
      </Records>
      <Suspense fallback={null}>
        {isCreating && <CreateSetupLinkDialog organization={organization} onClose={() => setIsCreating(false)} />}
        {revoked && <RevokeSetupLinkDialog link={revoked} onClose={() => setRevoked(undefined)} />}
      </Suspense>
    </Tab>
  )
}

function LinkState({ state }: Pick<OrganizationSetupLink, 'state'>) {
  const { t } = useLingui()
  if (state === 'active') return <State kind="good">{t`Active`}</State>
  return <State kind="off">{state === 'revoked' ? t`Revoked` : t`Expired`}</State>
}
