import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import type { CreateWebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { SecretOnce } from '../../parts/keys/secret-once.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { bodyOf, type EndpointValues } from './endpoint-changes.ts'
import { EndpointFields } from './endpoint-fields.tsx'

const fields = ['url', 'description', 'event_types']

export default function CreateWebhookDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const form = useForm<EndpointValues>({
    initialValues: { url: '', description: '', isEverything: true, filters: [] },
  })
  const { submit, result, ...sending } = useSubmit(
    (body: CreateWebhookEndpoint, idempotencyKey) => api.webhooks.create(body, { idempotencyKey }),
    { stale: [['webhooks']] },
  )
  const { faults } = fieldFaults(sending.error, fields)
  const body = bodyOf(form.values)

  function onSubmit({ isEverything, filters }: EndpointValues) {
    if (!isEverything && filters.length === 0) form.setFieldError('filters', t`Choose at least one.`)
    else submit(body)
  }

  if (result !== undefined) {
    const { endpoint_id: endpointId, secret = '' } = result
    return (
      <Dialog isOpen loses="secret" onClose={onClose} title={t`The secret of the webhook`} size="lg">
        <SecretOnce secret={secret} label={t`the secret`}>
          <Trans>
            Give it to the receiver, which uses it to verify that requests come from here. Any Standard Webhooks library
            accepts it as it is. Then send a test.
          </Trans>
        </SecretOnce>
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
          <Button
            onClick={() => {
              onClose()
              void navigate({ to: '/webhooks/$endpointId', params: { endpointId } })
            }}
          >
            <Trans>Open webhook</Trans>
          </Button>
        </DialogFoot>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={t`Create webhook`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={fields}
      refusal={t`The webhook was not created.`}
      calls={[{ operation: 'POST /webhooks', body }]}
      action={<Trans>Create webhook</Trans>}
      onSubmit={form.onSubmit(onSubmit)}
      onClose={onClose}
    >
      <EndpointFields form={form} faults={faults} />
    </FormDialog>
  )
}
