import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { endpoint: WebhookEndpoint; onClose: () => void }

export default function DeleteWebhookDialog({ endpoint, onClose }: Props) {
  const { t } = useLingui()
  const { endpoint_id, url, description } = endpoint
  const name = description || new URL(url).host
  const queries = useQueryClient()
  const navigate = useNavigate()
  const lock = useFileLock(endpoint)
  const { submit, ...sending } = useSubmit((id: string) => api.webhooks.delete(id, lock.how), {
    onSuccess() {
      showToast({ message: t`The webhook is deleted.` })
      void navigate({ to: '/webhooks' }).then(() => {
        queries.removeQueries({ queryKey: ['webhooks', endpoint_id] })
        return queries.invalidateQueries({ queryKey: ['webhooks'] })
      })
    },
  })
  return (
    <ConfirmDialog
      title={t`Delete the webhook ${name}?`}
      sending={sending}
      refusal={t`The webhook was not deleted.`}
      calls={[{ operation: 'DELETE /webhooks/{endpoint_id}', path: { endpoint_id }, query: lock.how }]}
      action={<Trans>Delete webhook</Trans>}
      isDangerous
      onConfirm={() => submit(endpoint_id)}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <p>
        <Trans>
          Nothing more is sent to <bdi dir="ltr">{url}</bdi>. Its pending deliveries and its log are deleted as well.
          This cannot be undone; to pause deliveries, disable the webhook instead.
        </Trans>
      </p>
    </ConfirmDialog>
  )
}
