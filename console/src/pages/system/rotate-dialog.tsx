import { Trans, useLingui } from '@lingui/react/macro'
import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

export default function RotateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const [isEmergency, setIsEmergency] = useState(false)
  const { submit, ...sending } = useSubmit(
    (body: { revoke_previous: boolean }, idempotencyKey) => api.signingKeys.rotate(body, { idempotencyKey }),
    {
      stale: [['signing-keys']],
      onSuccess(_, { revoke_previous }) {
        showToast({
          message: revoke_previous
            ? t`The new key signs. All earlier access tokens are refused.`
            : t`The new key is published, and signs in 15 minutes.`,
        })
        onClose()
      },
    },
  )
  const body = { revoke_previous: isEmergency }
  return (
    <ConfirmDialog
      title={t`Rotate signing key`}
      sending={sending}
      refusal={t`The key was not rotated.`}
      calls={[{ operation: 'POST /signing-keys/rotate', body }]}
      action={isEmergency ? <Trans>Rotate now and refuse all tokens</Trans> : <Trans>Rotate signing key</Trans>}
      focus="none"
      onConfirm={() => submit(body)}
      onClose={onClose}
    >
      <Radio.Group
        label={t`Reason`}
        value={isEmergency ? 'emergency' : 'habit'}
        onChange={(value) => setIsEmergency(value === 'emergency')}
      >
        <Stack gap="sm" mt="xs">
          <Radio
            value="habit"
            data-autofocus
            label={t`Regular rotation`}
            description={t`The new key is published now and signs 15 minutes later. No token is refused for it.`}
          />
          <Radio
            value="emergency"
            label={t`The private key may have leaked`}
            description={t`The new key signs at once, and all earlier access tokens are refused. Sessions and API keys stay valid.`}
          />
        </Stack>
      </Radio.Group>
    </ConfirmDialog>
  )
}
