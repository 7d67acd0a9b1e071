import { Trans, useLingui } from '@lingui/react/macro'
import type { ApiKey } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByKeys } from '../../data/keys.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { Dialog, SavedFoot } from '../../ui/dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { SecretOnce } from './secret-once.tsx'

type Props = { apiKey: ApiKey; onClose: () => void }

export default function RotateKeyDialog({ apiKey: { key_id, name }, onClose }: Props) {
  const { t } = useLingui()
  const { submit, result, ...sending } = useSubmit(
    (id: string, idempotencyKey) => api.keys.rotate(id, { idempotencyKey }),
    {
      stale: changedByKeys,
    },
  )
  if (result !== undefined) {
    return (
      <Dialog isOpen loses="secret" onClose={onClose} title={t`Rotate key ${name}`}>
        <SecretOnce secret={result.key ?? ''} label={t`the new secret`}>
          <Trans>Store it where the program reads its key. Rotating again within a day ends the first secret.</Trans>
        </SecretOnce>
        <SavedFoot onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={t`Rotate key ${name}`}
      sending={sending}
      refusal={t`The key was not rotated.`}
      calls={[{ operation: 'POST /keys/{key_id}/rotate', path: { key_id } }]}
      action={<Trans>Rotate key</Trans>}
      focus="action"
      onConfirm={() => submit(key_id)}
      onClose={onClose}
    >
      <p>
        <Trans>
          The key gets a new secret and keeps its name, permissions and expiry. The current secret is accepted for
          another day, unless configured otherwise, so that programs can switch one by one.
        </Trans>
      </p>
      <p>
        <Trans>If the secret may have leaked, revoke the key instead and create a new one.</Trans>
      </p>
    </ConfirmDialog>
  )
}
