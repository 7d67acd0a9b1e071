import { Trans, useLingui } from '@lingui/react/macro'
import type { DeletedUser } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { user: DeletedUser; onClose: () => void }

/** The only action here that cannot be undone. */
export default function EraseDialog({ user: { user_id, username }, onClose }: Props) {
  const { t } = useLingui()
  const { submit, ...sending } = useSubmit((id: string) => api.users.delete(id, { purge: true }), {
    stale: [['deleted-users']],
    onSuccess() {
      showToast({ message: t`${username} was erased.` })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t`Erase ${username} for good?`}
      sending={sending}
      refusal={t`${username} was not erased.`}
      calls={[{ operation: 'DELETE /users/{user_id}', path: { user_id }, query: { purge: true } }]}
      action={<Trans>Erase for good</Trans>}
      isDangerous
      onConfirm={() => submit(user_id)}
      onClose={onClose}
    >
      <p>
        <Trans>
          This cannot be undone. Names, addresses and all other personal data are erased now, also from the audit, which
          keeps only what was done and when.
        </Trans>
      </p>
      <p>
        <Trans>
          Not changed: a database account named <bdi>{username}</bdi>.
        </Trans>
      </p>
    </ConfirmDialog>
  )
}
