import { Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { etagOf, RollbookError, type UpdateWebhookEndpoint, type WebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { changesOf, type EndpointValues } from './endpoint-changes.ts'
import { EndpointFields } from './endpoint-fields.tsx'
import { isEventFilter } from './event-groups.ts'

const fields = ['url', 'description', 'event_types']

type Props = { endpoint: WebhookEndpoint; onClose: () => void }

/** `endpoint` is the latest version: after a conflict, the next attempt starts from it. */
export default function EditWebhookDialog({ endpoint, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  // A version read meanwhile must not replace the one the form was filled with, or saving would undo it silently.
  const [before] = useState(endpoint)
  const { endpoint_id, url, description, event_types } = before
  const form = useForm<EndpointValues>({
    initialValues: {
      url,
      description,
      isEverything: event_types === null,
      filters: (event_types ?? []).filter(isEventFilter),
    },
  })
  const lock = useFileLock(before)
  const { submit, ...sending } = useSubmit(
    async ({ changes, seen }: { changes: UpdateWebhookEndpoint; seen: WebhookEndpoint }) => {
      try {
        return await api.webhooks.update(seen, changes, lock.how)
      } finally {
        void queries.invalidateQueries({ queryKey: ['webhooks'] })
      }
    },
    {
      onSuccess() {
        showToast({ message: t`The webhook is saved.` })
        onClose()
      },
    },
  )
  const { faults } = fieldFaults(sending.error, fields)
  const isStale = sending.error instanceof RollbookError && sending.error.code === 'precondition_failed'
  const changes = changesOf(form.values, before)
  const seen = isStale ? endpoint : before
  const ifMatch = etagOf(seen)

  function onSubmit({ isEverything, filters }: EndpointValues) {
    if (!isEverything && filters.length === 0) form.setFieldError('filters', t`Choose at least one.`)
    else if (Object.keys(changes).length === 0) onClose()
    else submit({ changes, seen })
  }

  return (
    <FormDialog
      title={t`Edit the webhook`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={fields}
      refusal={
        isStale
          ? t`The webhook was changed while you were editing. Saving again overwrites those changes.`
          : t`The webhook was not changed.`
      }
      calls={[
        {
          operation: 'PATCH /webhooks/{endpoint_id}',
          path: { endpoint_id },
          query: lock.how,
          body: changes,
          ...(ifMatch !== undefined && { ifMatch }),
        },
      ]}
      action={<Trans>Save changes</Trans>}
      onSubmit={form.onSubmit(onSubmit)}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        <EndpointFields form={form} faults={faults} />
      </Lockable>
    </FormDialog>
  )
}
