import { Trans, useLingui } from '@lingui/react/macro'
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ApiKey } from 'rollbook/client'
import { useCan, useMe } from '../../api/me.ts'
import { keysQuery } from '../../data/keys.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { Page } from '../../layout/page.tsx'
import { containsWords } from '../../lib/matches.ts'
import { KeyActions } from '../../parts/keys/key-actions.tsx'
import { useKeyColumns } from '../../parts/keys/key-cells.tsx'
import { holdsAll } from '../../parts/keys/key-state.ts'
import styles from '../../parts/keys/keys.module.css'
import { isOf, OrganizationFilter } from '../../parts/organizations/organization-filter.tsx'
import { OrganizationLink } from '../../parts/organizations/organization-link.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { IconPlus, IconSearch } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { type Column, RecordTable } from '../../ui/record-table.tsx'
import records from '../../ui/records.module.css'
import { Records, WaitingTable } from '../../ui/records.tsx'
import { Instant } from '../../ui/time.tsx'

const { Component: CreateKeyDialog, usePreload: usePreloadCreate } = loadedAhead(
  () => import('../../parts/keys/create-key-dialog.tsx'),
)
const RotateKeyDialog = lazy(() => import('../../parts/keys/rotate-key-dialog.tsx'))
const RevokeKeyDialog = lazy(() => import('../../parts/keys/revoke-key-dialog.tsx'))

const route = getRouteApi('/shell/keys')

type Open = { dialog: 'create' } | { dialog: 'rotate' | 'revoke'; key: ApiKey }

/** From this number of keys on, show a search field. */
const manyKeys = 10

export default function KeysPage() {
  const { t } = useLingui()
  const query = useQuery(keysQuery)
  const mayWrite = useCan('keys:write')
  const [open, setOpen] = useState<Open | undefined>()
  usePreloadCreate()
  useShortcut('c', t`Create key`, () => setOpen({ dialog: 'create' }), { opensField: true, isOn: mayWrite })
  const close = () => setOpen(undefined)
  return (
    <Page
      title={t`API keys`}
      description={
        <Trans>Programs authenticate with an API key. Give each its own, with only the permissions it needs.</Trans>
      }
      calls={[{ operation: 'GET /keys' }]}
      changes={['keys:write']}
      actions={
        mayWrite && (
          <Button leftSection={<IconPlus />} onClick={() => setOpen({ dialog: 'create' })}>
            <Trans>Create key</Trans>
          </Button>
        )
      }
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the keys.`}
        waiting={<WaitingTable rows={4} widths={['28%', '40%', '14%']} />}
        empty={
          <p className={styles.empty}>
            <Trans>There are no keys yet. Create one for each program that uses this service.</Trans>
          </p>
        }
      >
        {(keys) => <Keys keys={keys} onOpen={setOpen} />}
      </Records>
      <Suspense fallback={null}>
        {open?.dialog === 'create' && <CreateKeyDialog onClose={close} />}
        {open?.dialog === 'rotate' && <RotateKeyDialog apiKey={open.key} onClose={close} />}
        {open?.dialog === 'revoke' && <RevokeKeyDialog apiKey={open.key} onClose={close} />}
      </Suspense>
    </Page>
  )
}

type KeysProps = { keys: readonly ApiKey[]; onOpen: (open: Open) => void }

function Keys({ keys, onOpen }: KeysProps) {
  const { t } = useLingui()
  const { q = '' } = route.useSearch()
  const [search, setSearch] = useState(q)
  const [before, setBefore] = useState(q)
  // Found by name from another page, or from this one.
  if (q !== before) {
    setBefore(q)
    setSearch(q)
  }
  const [organization, setOrganization] = useState<string>()
  const visible = keys.filter((key) => containsWords(search, `${key.name} ${key.prefix}`) && isOf(organization, key))
  return (
    <>
      {(keys.length >= manyKeys || search !== '') && (
        <TextInput
          className={styles.search ?? ''}
          type="search"
          aria-label={t`Search keys by name or prefix`}
          placeholder={t`Name or prefix`}
          leftSection={<IconSearch />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <OrganizationFilter organization={organization} isLabelHidden onChange={setOrganization} />
      {visible.length === 0 ? (
        <p className={styles.empty} role="status">
          <Trans>No keys match.</Trans>
        </p>
      ) : (
        <KeyTable keys={visible} onOpen={onOpen} />
      )}
    </>
  )
}

function KeyTable({ keys, onOpen }: KeysProps) {
  const { t } = useLingui()
  const { name, permissions, expires, lastUsed } = useKeyColumns()
  const hasOrganizations = useOrganizationsInUse()
  const organization: Column<ApiKey> = {
    label: t`Organization`,
    cell: ({ organization_id }) => <OrganizationLink organizationId={organization_id} />,
  }
  const created: Column<ApiKey> = {
    label: t`Created`,
    className: records.nowrap,
    cell: ({ created_at }) => <Instant value={created_at} />,
  }
  const actions: Column<ApiKey> = {
    label: t`Actions`,
    kind: 'actions',
    cell: (key) => <Actions apiKey={key} onOpen={onOpen} />,
  }
  const columns = [name, permissions, ...(hasOrganizations ? [organization] : []), created, expires, lastUsed, actions]
  return <RecordTable rows={keys} keyOf={({ key_id }) => key_id} columns={columns} />
}

type ActionsProps = { apiKey: ApiKey; onOpen: (open: Open) => void }

/** Unavailable actions are replaced by the reason. */
function Actions({ apiKey, onOpen }: ActionsProps) {
  const mine = useMe().permissions
  const mayWrite = useCan('keys:write', apiKey)
  const { managed, permissions } = apiKey
  if (!mayWrite) return null
  if (managed)
    return (
      <p className={styles.reason}>
        <Trans>
          Change <code>ROLLBOOK_ADMIN_KEY</code> and restart.
        </Trans>
      </p>
    )
  if (!holdsAll(mine, permissions))
    return (
      <p className={styles.reason}>
        <Trans>It has permissions that you do not have.</Trans>
      </p>
    )
  return (
    <KeyActions
      apiKey={apiKey}
      onRotate={() => onOpen({ dialog: 'rotate', key: apiKey })}
      onRevoke={() => onOpen({ dialog: 'revoke', key: apiKey })}
    />
  )
}
