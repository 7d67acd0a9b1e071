import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Group } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByGroups } from '../../data/groups.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { group: Group; onClose: () => void }

export default function DeleteGroupDialog({ group, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { group_id, name } = group
  const lock = useFileLock(group)
  // A refusal is shown before the button is pressed.
  const trial = useQuery({
    queryKey: ['groups', 'one', group_id, 'deletion'],
    queryFn: ({ signal }) => api.groups.delete(group_id, { ...lock.howToTry, dryRun: true, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, ...sending } = useSubmit((id: string) => api.groups.delete(id, lock.how), {
    onSuccess() {
      showToast({ message: t`The group ${name} was deleted.` })
      void navigate({ to: '/groups' }).then(() => {
        queries.removeQueries({ queryKey: ['groups', 'one', group_id] })
        for (const queryKey of changedByGroups) void queries.invalidateQueries({ queryKey })
      })
    },
  })
  return (
    <ConfirmDialog
      title={t`Delete the group ${name}?`}
      sending={sending}
      refusal={t`The group was not deleted.`}
      calls={[{ operation: 'DELETE /groups/{group_id}', path: { group_id }, query: lock.how }]}
      action={<Trans>Delete group</Trans>}
      isDangerous
      isWaiting={trial.isPending}
      isDisabled={trial.isError || lock.isLocked}
      onConfirm={() => submit(group_id)}
      onClose={onClose}
    >
      {lock.notice}
      <GroupConsequences group={group} />
      {trial.error && (
        <Problem error={trial.error} retry={() => void trial.refetch()} title={t`This group cannot be deleted.`} />
      )}
    </ConfirmDialog>
  )
}

function GroupConsequences({ group: { member_count, role } }: { group: Group }) {
  return (
    <Consequences>
      <li>
        <Plural
          value={member_count}
          _0="The group has no members."
          one="# member leaves the group and stays a user."
          other="# members leave the group and stay users."
        />
      </li>
      {role !== null && member_count > 0 && (
        <li>
          <Trans>
            They lose the role <strong>{role}</strong> at once, unless they have it themselves or through another group.
          </Trans>
        </li>
      )}
      {member_count > 0 && (
        <li>
          <Trans>Products no longer see its name among the groups of these users.</Trans>
        </li>
      )}
      <li>
        <Trans>This cannot be undone. A new group with the same name starts without members.</Trans>
      </li>
    </Consequences>
  )
}
