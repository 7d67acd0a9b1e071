import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { canGrant } from '../../data/roles.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { Holders } from './role-effect.tsx'

type Props = { role: Role; roles: readonly Role[]; onClose: () => void }

export default function DeleteRoleDialog({ role: one, roles, onClose }: Props) {
  const { t } = useLingui()
  const { role, user_count, group_count } = one
  const me = useMe()
  const isHeld = user_count + group_count > 0
  const others = roles.filter((other) => other.role !== role && other.replaced_by === undefined && canGrant(me, other))
  const [replacement, setReplacement] = useState('user')
  const lock = useFileLock(one)
  const how = isHeld ? { replaceWith: replacement } : {}
  const query = { ...lock.how, ...(isHeld && { replace_with: replacement }) }
  const trial = useQuery({
    queryKey: ['roles', role, 'deletion', replacement],
    queryFn: ({ signal }) => api.roles.delete(role, { ...how, ...lock.howToTry, dryRun: true, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, isPending, error } = useSubmit((name: string) => api.roles.delete(name, { ...how, ...lock.how }), {
    stale: [['roles'], ['users'], ['groups'], ['me']],
    onSuccess({ deleted }) {
      showToast({ message: deleted ? t`The role ${role} was deleted.` : t`The role ${role} is being replaced.` })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t`Delete the role ${role}?`}
      sending={{ isPending: isPending || trial.isPending, error: error ?? trial.error }}
      refusal={t`The role was not deleted.`}
      calls={[{ operation: 'DELETE /roles/{role}', path: { role }, query }]}
      action={<Trans>Delete role</Trans>}
      isDangerous
      onConfirm={() => submit(role)}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      {isHeld ? (
        <>
          <p>
            <Holders role={one} />
          </p>
          <NativeSelect
            label={t`Give them this role instead`}
            data={others.map((other) => other.role)}
            value={replacement}
            onChange={({ currentTarget: { value } }) => setReplacement(value)}
          />
        </>
      ) : (
        <p>
          <Trans>No user or group has this role.</Trans>
        </p>
      )}
    </ConfirmDialog>
  )
}
