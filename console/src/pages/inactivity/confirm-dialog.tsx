import { Trans, useLingui } from '@lingui/react/macro'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

/** Lets a run that stopped continue. */
export default function ConfirmRunDialog({ users, onClose }: { users: number; onClose: () => void }) {
  const { t } = useLingui()
  const { submit, ...sending } = useSubmit(
    (_: number, idempotencyKey) => api.policies.confirmInactivity({ idempotencyKey }),
    {
      stale: [['inactivity'], ['system'], ['users']],
      onSuccess() {
        showToast({ message: t`Confirmed. The run continues within a minute.` })
        onClose()
      },
    },
  )
  return (
    <ConfirmDialog
      title={t`Disable these users?`}
      sending={sending}
      refusal={t`The run was not confirmed.`}
      calls={[{ operation: 'POST /inactivity/confirmation' }]}
      action={<Trans>Disable the users</Trans>}
      isDangerous
      onConfirm={() => submit(users)}
      onClose={onClose}
    >
      <p>
        <Trans>Their sessions end. You can enable them again with a bulk change.</Trans>
      </p>
    </ConfirmDialog>
  )
}
