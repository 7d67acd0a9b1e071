import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Radio, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { SecretOnce } from '../../parts/keys/secret-once.tsx'
import { Dialog, DialogFoot, SavedFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { endpoint: WebhookEndpoint; onClose: () => void }

export default function RotateSecretDialog({ endpoint: { endpoint_id }, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const [isEmergency, setIsEmergency] = useState(false)
  const body = { revoke_previous: isEmergency }
  const { submit, isPending, error, result } = useSubmit(
    (sent: typeof body, idempotencyKey) => api.webhooks.rotateSecret(endpoint_id, sent, { idempotencyKey }),
    { onSuccess: () => void queries.invalidateQueries({ queryKey: ['webhooks'] }) },
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
    <Dialog isOpen onClose={onClose} title={t`Rotate secret`}>
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
      {error && <Problem error={error} title={t`The secret was not rotated.`} />}
      <DialogFoot
        aside={
          <ApiCallButton
            size="xs"
            calls={[{ operation: 'POST /webhooks/{endpoint_id}/rotate-secret', path: { endpoint_id }, body }]}
          />
        }
      >
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button loading={isPending} onClick={() => submit(body)}>
          <Trans>Rotate secret</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
