import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useCan } from '../../api/me.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { Page } from '../../layout/page.tsx'
import { chunkSize } from '../../parts/user-list/chunks.ts'
import { shownColumns } from '../../parts/user-list/columns.ts'
import { DirectoryView } from '../../parts/user-list/directory-view.tsx'
import { useDirectory } from '../../parts/user-list/use-directory.ts'
import styles from '../../parts/user-list/users-page.module.css'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { IconExport, IconPlus } from '../../ui/icons.tsx'
import { loadedAhead } from '../../ui/loaded-ahead.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { FirstUsers } from './first-users.tsx'
import { youngUsers } from './setup-facts.ts'
import { SetupSteps } from './setup-steps.tsx'

const { Component: CreateDialog, usePreload: usePreloadCreate } = loadedAhead(() => import('./create-dialog.tsx'))
const ExportDialog = lazy(() => import('../../parts/exports/export-dialog.tsx'))

const route = getRouteApi('/shell/users')

export default function UsersPage() {
  const { t } = useLingui()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = useCan('users:write')
  const directory = useDirectory({
    search,
    onSearch: (next, { replace }) => void navigate({ search: next, replace, resetScroll: false }),
    path: '/users',
  })
  const { query, filters, total } = directory
  const hasOrganizations = useOrganizationsInUse()
  const create = useDialog()
  const exporting = useDialog()
  usePreloadCreate()
  useShortcut('c', t`Create user`, create.open, { opensField: true, isOn: mayWrite })
  const isNarrowed = Object.keys(filters).length > 0
  const isYoung = !isNarrowed && total !== undefined && total.total <= youngUsers
  const isFirst = !isNarrowed && !total?.isEstimate && total !== undefined && total.total <= 1

  return (
    <Page
      isFull
      title={t`Users`}
      changes={['users:write']}
      calls={[{ operation: 'GET /users', query: { ...query, limit: chunkSize, offset: search.row, count: true } }]}
      actions={
        <>
          <Button
            variant="default"
            className={styles.export ?? ''}
            leftSection={<IconExport />}
            onClick={exporting.open}
          >
            <span>
              <Trans>Export users</Trans>
            </span>
          </Button>
          {mayWrite && (
            <Button leftSection={<IconPlus />} onClick={create.open}>
              <Trans>Create user</Trans>
            </Button>
          )}
        </>
      }
    >
      {isYoung && <SetupSteps />}
      <DirectoryView
        directory={directory}
        onExport={exporting.open}
        first={isFirst ? <FirstUsers onCreate={create.open} /> : undefined}
      />
      <Suspense fallback={null}>
        {create.wasOpened && (
          <CreateDialog
            key={search.organization}
            organizationId={search.organization}
            isOpen={create.isOpen}
            onClose={create.close}
          />
        )}
        {exporting.wasOpened && (
          <ExportDialog
            query={search}
            total={total?.total}
            listColumns={shownColumns(search.columns, { widthRem: 80, hasOrganizations })}
            isOpen={exporting.isOpen}
            onClose={exporting.close}
          />
        )}
      </Suspense>
    </Page>
  )
}
