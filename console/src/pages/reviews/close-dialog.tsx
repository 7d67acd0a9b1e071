import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Review } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

export default function CloseDialog({ review, onClose }: { review: Review; onClose: () => void }) {
  const { t } = useLingui()
  const { review_id, name, counts } = review
  const { submit, ...sending } = useSubmit((id: string) => api.reviews.close(id), {
    stale: [['reviews']],
    onSuccess() {
      showToast({ message: t`The review ${name} is closed and sealed.` })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t`Close the review ${name}?`}
      sending={sending}
      refusal={t`The review was not closed.`}
      calls={[{ operation: 'PATCH /reviews/{review_id}', path: { review_id }, body: { state: 'closed' } }]}
      action={<Trans>Close and seal</Trans>}
      isDangerous
      onConfirm={() => submit(review_id)}
      onClose={onClose}
    >
      <p>
        <Trans>It cannot be opened again. What was decided is sealed, so that a later change is found.</Trans>
      </p>
      {counts.open > 0 && (
        <p>
          <Plural
            value={counts.open}
            one="# row is not decided: its user keeps the access."
            other="# rows are not decided: their users keep the access."
          />
        </p>
      )}
    </ConfirmDialog>
  )
}
