/** The members of a group, in the list of the users' page. */
import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Group } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { chunkSize } from '../../parts/user-list/chunks.ts'
import { shownColumns } from '../../parts/user-list/columns.ts'
import { type Chosen, DirectoryView } from '../../parts/user-list/directory-view.tsx'
import { useDirectory } from '../../parts/user-list/use-directory.ts'
import { Empty } from '../../ui/empty.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { RoleNote } from './role-note.tsx'

const BulkDialog = lazy(() => import('../../parts/bulk/bulk-dialog.tsx'))
const MembersDialog = lazy(() => import('./members-dialog.tsx'))
const ExportDialog = lazy(() => import('../../parts/exports/export-dialog.tsx'))

const route = getRouteApi('/shell/groups/$groupId')

export function Members({ group }: { group: Group }) {
  const { group: _, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  const { group_id } = group
  const within = { group: group_id }
  const directory = useDirectory({
    search,
    onSearch: (next, { replace }) => void navigate({ search: next, replace, resetScroll: false }),
    path: `/groups/${group_id}`,
    within,
  })
  const mayWrite = useCan('groups:write', group)
  const mayWriteUsers = useCan('users:write')
  const exporting = useDialog()
  const [removing, setRemoving] = useState<Chosen>()
  const { query, total } = directory
  const hasOrganizations = useOrganizationsInUse()
  // One change removes all matching users without reading them first; it needs users:write.
  const isBulk = removing !== undefined && 'filter' in removing.selection && mayWriteUsers
  return (
    <>
      <ApiCallButton
        calls={[{ operation: 'GET /users', query: { ...query, limit: chunkSize, offset: search.row, count: true } }]}
      />
      <DirectoryView
        directory={directory}
        onExport={exporting.open}
        empty={<Empty title={<Trans>This group has no members yet.</Trans>} />}
        actionsFor={(chosen) =>
          mayWrite && (
            <Button size="compact-sm" variant="default" onClick={() => setRemoving(chosen)}>
              <Trans>Remove from the group</Trans>
            </Button>
          )
        }
      />
      <Suspense fallback={null}>
        {removing && isBulk && (
          <BulkDialog
            isOpen
            action="remove_from_group"
            group={group}
            note={group.role !== null && <RoleNote kind="remove" role={group.role} />}
            selection={removing.selection}
            total={removing.total}
            onClose={() => setRemoving(undefined)}
            onDone={removing.clear}
          />
        )}
        {removing && !isBulk && (
          <MembersDialog
            group={group}
            kind="remove"
            selection={removing.selection}
            onClose={() => setRemoving(undefined)}
            onDone={removing.clear}
          />
        )}
        {exporting.wasOpened && (
          <ExportDialog
            query={{ ...search, ...within }}
            total={total?.total}
            listColumns={shownColumns(search.columns, { widthRem: 80, hasOrganizations })}
            isOpen={exporting.isOpen}
            onClose={exporting.close}
          />
        )}
      </Suspense>
    </>
  )
}
