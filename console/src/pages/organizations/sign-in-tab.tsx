import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { Organization, SignInConnection } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { signInConnectionsQuery } from '../../data/sign-in-connections.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { formatNumber } from '../../ui/number.ts'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Active } from '../../ui/user-state.tsx'
import { Tab } from './tab.tsx'

export function SignInTab({ organization: { organization_id } }: { organization: Organization }) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const query = useQuery(signInConnectionsQuery)
  const mayWrite = useCan('connections:write')
  const columns: Column<SignInConnection>[] = [
    {
      label: t`Name`,
      kind: 'name',
      cell: ({ connection_id: connectionId, name }) => (
        <Link
          data-opens
          dir="auto"
          to="/sign-in-connections/$connectionId"
          params={{ connectionId }}
          className={records.name ?? ''}
        >
          {name}
        </Link>
      ),
    },
    { label: t`State`, cell: ({ active }) => <Active active={active} /> },
    { label: t`Linked users`, cell: ({ identity_count }) => formatNumber(identity_count, i18n.locale) },
  ]
  return (
    <Tab
      note={<Trans>Who signs in here for the first time is created in this organization. Others are refused.</Trans>}
      actions={
        mayWrite && (
          <Button
            leftSection={<IconPlus />}
            onClick={() => void navigate({ to: '/sign-in-connections/new', search: { organization: organization_id } })}
          >
            <Trans>Connect identity provider</Trans>
          </Button>
        )
      }
    >
      <Records
        source={query}
        rows={query.data?.filter((one) => one.organization_id === organization_id)}
        problem={t`Could not load the connections.`}
        waiting={<WaitingTable rows={2} widths={['35%', '20%']} />}
        empty={<Empty title={<Trans>No connection for sign-in belongs to it yet.</Trans>} />}
      >
        {(rows) => <RecordTable rows={rows} keyOf={({ connection_id }) => connection_id} columns={columns} isOpening />}
      </Records>
    </Tab>
  )
}
