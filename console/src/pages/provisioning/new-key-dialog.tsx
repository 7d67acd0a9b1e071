import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ProvisioningConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Dialog, DialogFoot, SavedFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { Handover } from './handover.tsx'

type Props = { connection: ProvisioningConnection; onClose: () => void }

export default function NewKeyDialog({ connection: { connection_id, name, scim_url }, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const body = { name, permissions: ['scim:write'], connection_id }
  const { submit, isPending, error, result } = useSubmit(
    (wanted: typeof body, idempotencyKey) => api.keys.create(wanted, { idempotencyKey }),
    { onSuccess: () => void queries.invalidateQueries({ queryKey: ['keys'] }) },
  )
  if (result !== undefined) {
    return (
      <Dialog isOpen loses="secret" onClose={onClose} title={t`The new key of ${name}`} size="lg">
        <Handover scimUrl={scim_url} secret={result.key ?? ''} />
        <SavedFoot onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <Dialog isOpen onClose={onClose} title={t`Create another key for ${name}?`}>
      <p>
        <Trans>
          The keys that it has stay valid. When the identity provider uses the new one, revoke the old one among the API
          keys.
        </Trans>
      </p>
      {error && <Problem error={error} title={t`The key was not created.`} />}
      <DialogFoot aside={<ApiCallButton size="xs" calls={[{ operation: 'POST /keys', body }]} />}>
        <Button variant="default" onClick={onClose} data-autofocus>
          <Trans>Cancel</Trans>
        </Button>
        <Button loading={isPending} onClick={() => submit(body)}>
          <Trans>Create key</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
