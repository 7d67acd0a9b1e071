import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useCan } from '../../api/me.ts'
import { connectionsQuery } from '../../data/provisioning.ts'
import { Page } from '../../layout/page.tsx'
import { ProvisioningConnections } from '../../parts/connections/connection-list.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'

const { Component: CreateConnectionDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('../../parts/connections/create-connection-dialog.tsx'),
)

export default function ConnectionsPage() {
  const { t } = useLingui()
  const query = useQuery(connectionsQuery)
  const mayWrite = useCan('provisioning:write')
  const mayUseScim = useCan('scim:write')
  const mayCreate = mayWrite && mayUseScim
  const [isCreating, setIsCreating] = useState(false)
  usePreloadCreate()
  useShortcut('c', t`Connect identity provider`, () => setIsCreating(true), { opensField: true, isOn: mayCreate })
  const create = mayCreate && (
    <Button leftSection={<IconPlus />} onClick={() => setIsCreating(true)}>
      <Trans>Connect identity provider</Trans>
    </Button>
  )
  return (
    <Page
      title={t`Provisioning`}
      description={
        <Trans>
          The company’s identity provider creates, changes and disables users here through SCIM 2.0, and manages groups.
        </Trans>
      }
      changes={['provisioning:write', 'scim:write']}
      calls={[{ operation: 'GET /provisioning' }]}
      actions={query.data !== undefined && query.data.length > 0 && create}
    >
      <ProvisioningConnections
        empty={
          <Empty title={<Trans>No identity provider is connected yet.</Trans>}>
            <p>
              <Trans>
                Connect Okta, Microsoft Entra ID or another one, so that you need not create users by hand. People who
                leave the company lose access within a second.
              </Trans>
            </p>
            {create}
          </Empty>
        }
      />
      <Suspense fallback={null}>
        {isCreating && <CreateConnectionDialog onClose={() => setIsCreating(false)} />}
      </Suspense>
    </Page>
  )
}
