import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { CreateWebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormFoot } from '../../layout/form-foot.tsx'
import { SecretOnce } from '../../parts/keys/secret-once.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { bodyOf, type EndpointValues } from './endpoint-changes.ts'
import { EndpointFields } from './endpoint-fields.tsx'

export default function CreateWebhookDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useForm<EndpointValues>({
    initialValues: { url: '', description: '', isEverything: true, filters: [] },
  })
  const { submit, isPending, error, result } = useSubmit(
    (body: CreateWebhookEndpoint, idempotencyKey) => api.webhooks.create(body, { idempotencyKey }),
    { onSuccess: () => void queries.invalidateQueries({ queryKey: ['webhooks'] }) },
  )
  const { faults, hasMore } = fieldFaults(error, ['url', 'description', 'event_types'])
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
    <Dialog isOpen loses={form.isDirty() ? 'input' : undefined} onClose={onClose} title={t`Create webhook`} size="lg">
      <form onSubmit={form.onSubmit(onSubmit)} style={{ display: 'contents' }}>
        <EndpointFields form={form} faults={faults} />
        {hasMore && <Problem error={error} title={t`The webhook was not created.`} />}
        <FormFoot calls={[{ operation: 'POST /webhooks', body }]} isPending={isPending} onCancel={onClose}>
          <Trans>Create webhook</Trans>
        </FormFoot>
      </form>
    </Dialog>
  )
}
