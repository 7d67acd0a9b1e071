/** The dialogs that a user's menu opens: another password, another role. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Dialog, type Loss } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { RoleSelect } from '../user-details/role-select.tsx'
import styles from '../user-details/user.module.css'
import ImpersonationDialog from './impersonation-dialog.tsx'
import InviteDialog from './invite-dialog.tsx'
import { PasswordForm } from './password-form.tsx'
import { patchUser } from './patch-user.ts'

export type UserDialog = { kind: 'password' | 'role' | 'invite' | 'impersonation'; user: User }

export default function UserDialogs({ dialog, onClose }: { dialog: UserDialog; onClose: () => void }) {
  if (dialog.kind === 'impersonation') return <ImpersonationDialog user={dialog.user} onClose={onClose} />
  if (dialog.kind === 'invite') return <InviteDialog user={dialog.user} onClose={onClose} />
  return dialog.kind === 'password' ? (
    <PasswordDialog user={dialog.user} onClose={onClose} />
  ) : (
    <RoleDialog user={dialog.user} onClose={onClose} />
  )
}

type Props = { user: User; onClose: () => void }

function PasswordDialog({ user, onClose }: Props) {
  const { t } = useLingui()
  const { username } = user
  const [isDirty, setIsDirty] = useState(false)
  const [isSet, setIsSet] = useState(false)
  const loses: Loss | undefined = isSet ? 'secret' : isDirty ? 'input' : undefined
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="lg"
      loses={loses}
      title={user.has_password ? t`Reset password for ${username}` : t`Set password for ${username}`}
    >
      <PasswordForm user={user} onDirty={setIsDirty} onSet={() => setIsSet(true)} onClose={onClose} />
    </Dialog>
  )
}

function RoleDialog({ user: { user_id, username, role: before }, onClose }: Props) {
  const { t } = useLingui()
  const client = useQueryClient()
  const isMe = useMe().user_id === user_id
  const [role, setRole] = useState(before)
  const [undone, failed] = [
    t`${username} has the role ${before} again.`,
    t`The role of ${username} was not changed back:`,
  ]
  const show = (user: User) => {
    patchUser(client, user_id, user)
    void client.invalidateQueries({ queryKey: ['users'], refetchType: 'none' })
  }
  const undo = () =>
    api.users.update(user_id, { role: before }).then(
      (user) => {
        show(user)
        showToast({ message: undone })
      },
      (error: unknown) =>
        showToast({ kind: 'fault', message: `${failed} ${error instanceof Error ? error.message : error}` }),
    )
  const { submit, ...sending } = useSubmit((next: string) => api.users.update(user_id, { role: next }), {
    onSuccess(user) {
      show(user)
      onClose()
      showToast({
        message: t`${username} has the role ${user.role}.`,
        action: { label: t`Undo`, onClick: () => void undo() },
      })
    },
  })
  return (
    <FormDialog
      title={t`Change role of ${username}`}
      isDirty={false}
      sending={sending}
      refusal={t`Nothing was changed.`}
      calls={[{ operation: 'PATCH /users/{user_id}', path: { user_id }, body: { role } }]}
      action={<Trans>Change role</Trans>}
      onSubmit={() => (role === before ? onClose() : submit(role))}
      onClose={onClose}
    >
      <RoleSelect
        current={before}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value)}
        description={t`The Roles page lists what each role may do.`}
        data-autofocus
      />
      {isMe && (
        <p className={styles.warning}>
          <Trans>This is your own account. You may lose access to this page.</Trans>
        </p>
      )}
    </FormDialog>
  )
}
