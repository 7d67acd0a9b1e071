import { Trans, useLingui } from '@lingui/react/macro'
import type { ProvisioningConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { Handover } from '../../parts/connections/handover.tsx'
import { Dialog, SavedFoot } from '../../ui/dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { connection: ProvisioningConnection; onClose: () => void }

export default function NewKeyDialog({ connection, onClose }: Props) {
  const { t } = useLingui()
  const { connection_id, name } = connection
  const body = { name, permissions: ['scim:write'], connection_id }
  const { submit, result, ...sending } = useSubmit(
    (wanted: typeof body, idempotencyKey) => api.keys.create(wanted, { idempotencyKey }),
    { stale: [['keys']] },
  )
  if (result !== undefined) {
    return (
      <Dialog isOpen loses="secret" onClose={onClose} title={t`The new key of ${name}`} size="lg">
        <Handover connection={connection} secret={result.key ?? ''} isFurther />
        <SavedFoot onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={t`Create another key for ${name}?`}
      sending={sending}
      refusal={t`The key was not created.`}
      calls={[{ operation: 'POST /keys', body }]}
      action={<Trans>Create key</Trans>}
      onConfirm={() => submit(body)}
      onClose={onClose}
    >
      <p>
        <Trans>
          The keys that it has stay valid. When the identity provider uses the new one, revoke the old one among the API
          keys.
        </Trans>
      </p>
    </ConfirmDialog>
  )
}
