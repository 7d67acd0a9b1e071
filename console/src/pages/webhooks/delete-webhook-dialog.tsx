import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookEndpoint } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { endpoint: WebhookEndpoint; onClose: () => void }

export default function DeleteWebhookDialog({ endpoint: { endpoint_id, url }, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { submit, isPending, error } = useSubmit((id: string) => api.webhooks.delete(id), {
    onSuccess() {
      showToast({ message: t`The webhook is deleted.` })
      void navigate({ to: '/webhooks' }).then(() => {
        queries.removeQueries({ queryKey: ['webhooks', endpoint_id] })
        return queries.invalidateQueries({ queryKey: ['webhooks'] })
      })
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={t`Delete webhook?`}>
      <p>
        <Trans>
          Nothing more is sent to <bdi dir="ltr">{url}</bdi>. Its pending deliveries and its log are deleted as well.
          This cannot be undone; to pause deliveries, disable the webhook instead.
        </Trans>
      </p>
      {error && <Problem error={error} title={t`The webhook was not deleted.`} />}
      <DialogFoot
        aside={
          <ApiCallButton size="xs" calls={[{ operation: 'DELETE /webhooks/{endpoint_id}', path: { endpoint_id } }]} />
        }
      >
        <Button variant="default" onClick={onClose} data-autofocus>
          <Trans>Cancel</Trans>
        </Button>
        <Button color="red.9" loading={isPending} onClick={() => submit(endpoint_id)}>
          <Trans>Delete webhook</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
