import { Trans } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import type { Organization } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { ProvisioningConnections } from '../../parts/connections/connection-list.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ConnectButton, Tab } from './tab.tsx'

const CreateConnectionDialog = lazy(() => import('../../parts/connections/create-connection-dialog.tsx'))

export function ProvisioningTab({ organization: { organization_id, name } }: { organization: Organization }) {
  const mayWrite = useCan('provisioning:write')
  const mayUseScim = useCan('scim:write')
  const [isCreating, setIsCreating] = useState(false)
  return (
    <Tab
      note={<Trans>Users and groups that its identity provider creates belong to this organization.</Trans>}
      actions={mayWrite && mayUseScim && <ConnectButton onClick={() => setIsCreating(true)} />}
    >
      <ProvisioningConnections
        organizationId={organization_id}
        empty={<Empty title={<Trans>No connection for provisioning belongs to it yet.</Trans>} />}
      />
      <Suspense fallback={null}>
        {isCreating && (
          <CreateConnectionDialog
            initial={{ name, profile: 'entra', organization: organization_id }}
            onClose={() => setIsCreating(false)}
          />
        )}
      </Suspense>
    </Tab>
  )
}
