import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByKeys } from '../../data/keys.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { Instant } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { useFileLock } from '../managed/managed-by-file.tsx'

type Props = {
  apiKey: ApiKey
  onClose: () => void
}

export default function RevokeKeyDialog({ apiKey, onClose }: Props) {
  const { t } = useLingui()
  const { key_id, name, last_used_at } = apiKey
  const lock = useFileLock(apiKey)
  const queries = useQueryClient()
  const { submit, ...sending } = useSubmit(
    async (id: string) => {
      await api.keys.revoke(id, lock.how)
      // Closed when its row is gone, so that the focus does not go there.
      await Promise.all(changedByKeys.map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
    {
      onSuccess() {
        showToast({ message: t`The key ${name} is revoked.` })
        onClose()
      },
    },
  )
  return (
    <ConfirmDialog
      title={t`Revoke key ${name}?`}
      sending={sending}
      refusal={t`The key was not revoked.`}
      calls={[{ operation: 'DELETE /keys/{key_id}', path: { key_id }, query: lock.how }]}
      action={<Trans>Revoke key</Trans>}
      isDangerous
      onConfirm={() => submit(key_id)}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <p>
        <Trans>
          Programs that use this key are refused at once, and so are its access tokens. This cannot be undone.
        </Trans>
      </p>
      <p>
        {last_used_at === null ? (
          <Trans>It has never been used.</Trans>
        ) : (
          <Trans>
            It was last used <Instant value={last_used_at} />.
          </Trans>
        )}
      </p>
    </ConfirmDialog>
  )
}
