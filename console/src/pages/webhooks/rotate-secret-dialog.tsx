import { Trans, useLingui } from '@lingui/react/macro'
import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { WebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { SecretOnce } from '../../parts/keys/secret-once.tsx'
import { Dialog, SavedFoot } from '../../ui/dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { endpoint: WebhookEndpoint; onClose: () => void }

export default function RotateSecretDialog({ endpoint: { endpoint_id }, onClose }: Props) {
  const { t } = useLingui()
  const [isEmergency, setIsEmergency] = useState(false)
  const body = { revoke_previous: isEmergency }
  const { submit, result, ...sending } = useSubmit(
    (sent: typeof body, idempotencyKey) => api.webhooks.rotateSecret(endpoint_id, sent, { idempotencyKey }),
    { stale: [['webhooks']] },
  )
  if (result !== undefined) {
    return (
      <Dialog isOpen loses="secret" onClose={onClose} title={t`The new secret`}>
        <SecretOnce secret={result.secret ?? ''} label={t`the new secret`}>
          {isEmergency ? (
            <Trans>The receiver refuses deliveries until it has this secret. Nothing is lost: they are retried.</Trans>
          ) : (
            <Trans>Until the receiver has it, the previous secret signs as well.</Trans>
          )}
        </SecretOnce>
        <SavedFoot onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={t`Rotate secret`}
      sending={sending}
      refusal={t`The secret was not rotated.`}
      calls={[{ operation: 'POST /webhooks/{endpoint_id}/rotate-secret', path: { endpoint_id }, body }]}
      action={<Trans>Rotate secret</Trans>}
      focus="none"
      onConfirm={() => submit(body)}
      onClose={onClose}
    >
      <Radio.Group
        label={t`Reason`}
        value={isEmergency ? 'leaked' : 'routine'}
        onChange={(value) => setIsEmergency(value === 'leaked')}
      >
        <Stack gap="xs" mt={6}>
          <Radio
            value="routine"
            label={t`Regular rotation`}
            description={t`Both secrets sign for a day, unless configured otherwise, so that the receiver has time to switch.`}
          />
          <Radio
            value="leaked"
            label={t`It may have leaked`}
            description={t`The current secret stops signing at once.`}
          />
        </Stack>
      </Radio.Group>
    </ConfirmDialog>
  )
}
