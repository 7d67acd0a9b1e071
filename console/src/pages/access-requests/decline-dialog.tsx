import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { AccessRequest, DecideAccessRequest } from 'rollbook/client'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { People, Refusals } from './decision-result.tsx'
import { useDecisions } from './use-decisions.ts'
import { personOf } from './words.ts'

type Props = { requests: readonly AccessRequest[]; onClose: () => void; onDone: () => void }

export default function DeclineDialog({ requests, onClose, onDone }: Props) {
  const { t } = useLingui()
  const [reason, setReason] = useState('')
  const { submit, outcome, ...sending } = useDecisions(requests, ({ decided, refused }) => {
    onDone()
    if (refused.length > 0) return
    showToast({
      message: <Plural value={decided.length} one="# request was declined." other="# requests were declined." />,
    })
    onClose()
  })
  const [first] = requests
  const name = first && personOf(first)
  const body: DecideAccessRequest = { decision: 'decline', ...(reason.trim() !== '' && { reason: reason.trim() }) }
  return (
    <FormDialog
      title={requests.length === 1 ? t`Decline ${name}` : t`Decline the selected requests`}
      isDirty={reason !== ''}
      sending={sending}
      refusal={t`Nothing was decided.`}
      problem={outcome.refused.length > 0 ? <Refusals outcome={outcome} /> : undefined}
      calls={requests.slice(0, 1).map(({ request_id }) => ({
        operation: 'POST /access-requests/{request_id}/decision' as const,
        path: { request_id },
        body,
      }))}
      action={<Trans>Decline</Trans>}
      onSubmit={() => submit(body)}
      onClose={onClose}
    >
      <People requests={requests} />
      <Textarea
        label={t`Reason`}
        description={t`Optional. They get a message that says so.`}
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        value={reason}
        onChange={({ currentTarget: { value } }) => setReason(value)}
      />
    </FormDialog>
  )
}
