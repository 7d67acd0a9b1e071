import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton, Stack } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { Group, GroupOfUser, User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { useCan } from '../../../api/me.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { changedByGroups, groupsOfUserQuery } from '../../../data/groups.ts'
import { rolesQuery } from '../../../data/roles.ts'
import { formatEnd } from '../../../parts/end-date/end-date.ts'
import { GroupPicker } from '../../../parts/group-picker/group-picker.tsx'
import { GroupLink, PermissionSources } from '../../../parts/permissions/permission-sources.tsx'
import { sourcesOf } from '../../../parts/permissions/sources.ts'
import styles from '../../../parts/user-details/user.module.css'
import { Problem } from '../../../ui/problem.tsx'
import { type Column, plainLook, RecordTable } from '../../../ui/record-table.tsx'
import records from '../../../ui/records.module.css'
import { Records } from '../../../ui/records.tsx'
import { RowAction, RowActions } from '../../../ui/row-actions.tsx'
import { Section } from '../../../ui/section.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { Role } from '../../../ui/user-state.tsx'

export function GroupsTab({ user }: { user: User }) {
  const query = useQuery(groupsOfUserQuery(user.user_id))
  return (
    <Stack gap="lg">
      <Groups user={user} query={query} />
      {query.data !== undefined && <Permissions user={user} groups={query.data} />}
    </Stack>
  )
}

type Change = { group: Pick<Group, 'group_id' | 'name'>; isMember: boolean }

/** Adds the user to a group, or removes the user from it. */
function useMembership({ user_id, username }: User, onRemoved: () => void) {
  const { t } = useLingui()
  return useSubmit(
    ({ group: { group_id }, isMember }: Change) =>
      isMember ? api.groups.addMember(group_id, user_id) : api.groups.removeMember(group_id, user_id),
    {
      stale: changedByGroups,
      onSuccess(_, { group: { name }, isMember }) {
        if (!isMember) onRemoved()
        showToast({
          message: isMember ? t`${username} was added to ${name}.` : t`${username} was removed from ${name}.`,
        })
      },
    },
  )
}

function Groups({ user, query }: { user: User; query: UseQueryResult<GroupOfUser[]> }) {
  const { t, i18n } = useLingui()
  const { user_id } = user
  const mayWrite = useCan('groups:write')
  // The focused button is removed with its row.
  const list = useRef<HTMLDivElement>(null)
  const { submit, isPending, values, error } = useMembership(user, () => list.current?.focus())
  const columns: Column<GroupOfUser>[] = [
    { label: t`Name`, kind: 'name', cell: (group) => <Name group={group} /> },
    {
      label: t`Role`,
      cell: ({ role }) => (role === null ? <span className={styles.empty}>{t`No role`}</span> : <Role role={role} />),
    },
  ]
  if (query.data?.some(({ expires_at }) => expires_at !== undefined))
    columns.push({
      label: t`Membership ends`,
      cell: ({ expires_at }) =>
        expires_at === undefined ? (
          <span className={styles.empty}>{t`No end`}</span>
        ) : (
          formatEnd(expires_at, i18n.locale)
        ),
    })
  if (mayWrite)
    columns.push({
      label: t`Actions`,
      kind: 'actions',
      cell: (group) => (
        <RowActions>
          <RowAction
            label={t`Remove from ${group.name}`}
            tone="fault"
            isPending={isPending && values?.group.group_id === group.group_id}
            onClick={() => submit({ group, isMember: false })}
          >
            <Trans>Remove</Trans>
          </RowAction>
        </RowActions>
      ),
    })
  const first = query.data?.[0]
  return (
    <Section
      title={t`Groups`}
      description={t`The user has the roles of these groups in addition to their own.`}
      actions={
        <ApiCallButton
          size="xs"
          calls={[
            { operation: 'GET /users/{user_id}/groups', path: { user_id } },
            {
              operation: 'PUT /groups/{group_id}/members/{user_id}',
              path: { group_id: first?.group_id ?? '…', user_id },
            },
          ]}
        />
      }
    >
      <div ref={list} tabIndex={-1} className={styles.list}>
        <Records
          source={query}
          rows={query.data}
          problem={t`Could not load the groups.`}
          waiting={<Skeleton height={64} aria-busy="true" />}
          empty={
            <p className={styles.empty}>
              <Trans>Not in any group.</Trans>
            </p>
          }
        >
          {(groups) => (
            <RecordTable rows={groups} keyOf={({ group_id }) => group_id} columns={columns} look={plainLook} />
          )}
        </Records>
      </div>
      {error && (
        <Problem
          error={error}
          title={
            values?.isMember ? t`The user was not added to the group.` : t`The user was not removed from the group.`
          }
        />
      )}
      {mayWrite && query.data !== undefined && (
        <AddToGroup
          member={query.data}
          isPending={isPending && values?.isMember === true}
          onAdd={(group) => submit({ group, isMember: true })}
        />
      )}
    </Section>
  )
}

function Name({ group: { group_id, name, description } }: { group: Group }) {
  return (
    <>
      <GroupLink groupId={group_id} name={name} />
      {description !== '' && (
        <div className={records.under}>
          <bdi>{description}</bdi>
        </div>
      )}
    </>
  )
}

type AddProps = { member: readonly Group[]; isPending: boolean; onAdd: (group: Group) => void }

function AddToGroup({ member, isPending, onAdd }: AddProps) {
  const { t } = useLingui()
  const [picked, setPicked] = useState<Group>()
  const [fault, setFault] = useState<string>()
  const ids = member.map(({ group_id }) => group_id)
  // Once the user is a member, the field is free for the next group.
  const chosen = picked === undefined || ids.includes(picked.group_id) ? undefined : picked
  function onSubmit(event: FormEvent) {
    event.preventDefault()
    if (chosen === undefined) setFault(t`Choose a group.`)
    else onAdd(chosen)
  }
  return (
    <form className={styles.adding} onSubmit={onSubmit}>
      <GroupPicker
        label={t`Add to a group`}
        except={ids}
        error={fault}
        chosen={chosen}
        onPick={(group) => {
          setPicked(group)
          setFault(undefined)
        }}
      />
      <Button type="submit" variant="default" loading={isPending}>
        <Trans>Add</Trans>
      </Button>
    </form>
  )
}

function Permissions({ user, groups }: { user: User; groups: readonly Group[] }) {
  const { t } = useLingui()
  const { data: roles, error, refetch } = useQuery(rolesQuery)
  const rows = roles === undefined ? undefined : sourcesOf(user, groups, roles)
  return (
    <Section
      title={t`Permissions`}
      description={t`What the user may do, and where it comes from.`}
      actions={<ApiCallButton size="xs" calls={[{ operation: 'GET /roles' }]} />}
    >
      <Records
        source={{ error, refetch }}
        rows={rows}
        problem={t`Could not load the roles.`}
        waiting={<Skeleton height={64} aria-busy="true" />}
        empty={
          <p className={styles.empty}>
            <Trans>No permissions</Trans>
          </p>
        }
      >
        {(sourced) => <PermissionSources rows={sourced} />}
      </Records>
    </Section>
  )
}
