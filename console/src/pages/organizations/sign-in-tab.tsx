import { Trans } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import type { Organization } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { SignInConnections } from '../../parts/connections/connection-list.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ConnectButton, Tab } from './tab.tsx'

export function SignInTab({ organization: { organization_id: organization } }: { organization: Organization }) {
  const navigate = useNavigate()
  const mayWrite = useCan('connections:write')
  return (
    <Tab
      note={<Trans>Who signs in here for the first time is created in this organization. Others are refused.</Trans>}
      actions={
        mayWrite && (
          <ConnectButton onClick={() => void navigate({ to: '/sign-in-connections/new', search: { organization } })} />
        )
      }
    >
      <SignInConnections
        organizationId={organization}
        empty={<Empty title={<Trans>No connection for sign-in belongs to it yet.</Trans>} />}
      />
    </Tab>
  )
}
