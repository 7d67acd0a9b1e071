import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Group } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { groupQuery } from '../../data/groups.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { Guests } from '../../parts/organizations/guests.tsx'
import { OrganizationLink } from '../../parts/organizations/organization-link.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { IconPlus } from '../../ui/icons.tsx'
import { Needs } from '../../ui/missing-permission.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Role } from '../../ui/user-state.tsx'
import { WaitingSections } from '../../ui/waiting-sections.tsx'
import styles from './groups.module.css'
import { Members } from './members.tsx'

const EditGroupDialog = lazy(() => import('./edit-group-dialog.tsx'))
const DeleteGroupDialog = lazy(() => import('./delete-group-dialog.tsx'))
const MembersDialog = lazy(() => import('./members-dialog.tsx'))

const route = getRouteApi('/shell/groups/$groupId')

export default function GroupPage() {
  const { groupId } = route.useParams()
  // A new key for each group, so that no selection is carried over.
  return <OneGroup key={groupId} groupId={groupId} />
}

function OneGroup({ groupId }: { groupId: string }) {
  const { t } = useLingui()
  const { data: group, error, refetch } = useQuery(groupQuery(groupId))
  const mayWrite = useCan('groups:write', group ?? {})
  const maySeeMembers = useCan('users:read')
  const mayAdd = mayWrite && maySeeMembers
  const [opened, setOpened] = useState<'add' | 'edit' | 'delete' | undefined>()
  const close = () => setOpened(undefined)
  const add = () => setOpened('add')
  useShortcut('a', t`Add members`, add, { opensField: true, isOn: mayAdd && group !== undefined })
  return (
    <Page
      isFull
      title={group?.name ?? t`Group`}
      back={<BackToGroups />}
      description={group && <About group={group} />}
      changes={['groups:write']}
      of={group}
      calls={[{ operation: 'GET /groups/{group_id}', path: { group_id: groupId } }]}
      actions={
        group !== undefined && (
          <>
            {mayWrite && (
              <>
                <Button variant="default" onClick={() => setOpened('delete')}>
                  <Trans>Delete group</Trans>
                </Button>
                <Button variant="default" onClick={() => setOpened('edit')}>
                  <Trans>Edit group</Trans>
                </Button>
              </>
            )}
            {mayAdd && (
              <Button leftSection={<IconPlus />} onClick={add}>
                <Trans>Add members</Trans>
              </Button>
            )}
          </>
        )
      }
    >
      {error && <Problem error={error} retry={() => void refetch()} title={t`Could not load the group.`} />}
      {group === undefined && !error && <WaitingSections heights={[300]} />}
      {group !== undefined && maySeeMembers && <Members group={group} />}
      {group !== undefined && <Needs permissions={['users:read']} />}
      <Suspense fallback={null}>
        {group !== undefined && opened === 'add' && (
          <MembersDialog group={group} kind="add" onClose={close} onDone={() => undefined} />
        )}
        {group !== undefined && opened === 'edit' && <EditGroupDialog group={group} onClose={close} />}
        {group !== undefined && opened === 'delete' && <DeleteGroupDialog group={group} onClose={close} />}
      </Suspense>
    </Page>
  )
}

function About({ group }: { group: Group }) {
  const { role, description, external_id, organization_id } = group
  const hasOrganizations = useOrganizationsInUse()
  return (
    <span className={styles.about}>
      <FileBadge of={group} />
      {role === null ? (
        <Trans>No role</Trans>
      ) : (
        <span>
          <Trans>
            Role <Role role={role} />
          </Trans>
        </span>
      )}
      {hasOrganizations && organization_id !== undefined && (
        <span>
          <Trans>
            Organization <OrganizationLink organizationId={organization_id} />
          </Trans>
        </span>
      )}
      <Guests group={group} />
      {description !== '' && <bdi>{description}</bdi>}
      {external_id !== null && (
        <span>
          <Trans>External ID</Trans> <code dir="ltr">{external_id}</code>
        </span>
      )}
    </span>
  )
}

function BackToGroups() {
  return (
    <BackLink to="/groups">
      <Trans>Groups</Trans>
    </BackLink>
  )
}
