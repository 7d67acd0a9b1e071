import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCan } from '../../api/me.ts'
import { signInConnectionsQuery } from '../../data/sign-in-connections.ts'
import { Page } from '../../layout/page.tsx'
import { SignInConnections } from '../../parts/connections/connection-list.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'

export default function ConnectionsPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const query = useQuery(signInConnectionsQuery)
  const mayWrite = useCan('connections:write')
  const open = () => void navigate({ to: '/sign-in-connections/new' })
  useShortcut('c', t`Connect identity provider`, open, { opensField: true, isOn: mayWrite })
  const create = mayWrite && (
    <Button leftSection={<IconPlus />} onClick={open}>
      <Trans>Connect identity provider</Trans>
    </Button>
  )
  return (
    <Page
      title={t`Company sign-in`}
      description={
        <Trans>
          Users sign in with the account that they have: through OpenID Connect, GitHub, SAML or a directory.
        </Trans>
      }
      changes={['connections:write']}
      calls={[{ operation: 'GET /connections' }]}
      actions={query.data !== undefined && query.data.length > 0 && create}
    >
      <SignInConnections
        empty={
          <Empty title={<Trans>Users sign in with their password only.</Trans>}>
            <p>
              <Trans>
                Connect the company’s identity provider or directory. It takes about ten minutes: copy addresses to the
                provider, enter its values here, test, and activate.
              </Trans>
            </p>
            {create}
          </Empty>
        }
      />
    </Page>
  )
}
