import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Radio, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

export default function RotateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const [isEmergency, setIsEmergency] = useState(false)
  const { submit, isPending, error } = useSubmit(
    (body: { revoke_previous: boolean }, idempotencyKey) => api.signingKeys.rotate(body, { idempotencyKey }),
    {
      onSuccess(_, { revoke_previous }) {
        void queries.invalidateQueries({ queryKey: ['signing-keys'] })
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
    <Dialog isOpen onClose={onClose} title={t`Rotate signing key`}>
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
      {error && <Problem error={error} title={t`The key was not rotated.`} />}
      <DialogFoot aside={<ApiCallButton size="xs" calls={[{ operation: 'POST /signing-keys/rotate', body }]} />}>
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button {...(isEmergency && { color: 'red.9' })} loading={isPending} onClick={() => submit(body)}>
          {isEmergency ? <Trans>Rotate now and refuse all tokens</Trans> : <Trans>Rotate signing key</Trans>}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
