import { Trans, useLingui } from '@lingui/react/macro'
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Impersonate, User } from 'rollbook/client'
import { consoleBase } from '../../api/base.ts'
import { api } from '../../api/client.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { NoticeItem } from './notice-item.tsx'

type Props = { user: User; onClose: () => void }

/** Asks why, and begins to act as the user. */
export default function ImpersonationDialog({ user: { user_id, username, email }, onClose }: Props) {
  const { t } = useLingui()
  const [reason, setReason] = useState('')
  const { submit, ...sending } = useSubmit(
    (body: Impersonate, idempotencyKey) => api.users.impersonate(user_id, body, { idempotencyKey }),
    {
      // A new page, because everything that this one knows is of another user. Every user may see this one.
      onSuccess: () => location.assign(`${consoleBase}profile`),
    },
  )
  return (
    <FormDialog
      title={t`Act as ${username}`}
      isDirty={reason !== ''}
      sending={sending}
      refusal={t`You are not acting as the user.`}
      calls={[{ operation: 'POST /users/{user_id}/impersonation', path: { user_id }, body: { reason } }]}
      action={<Trans>Act as this user</Trans>}
      onSubmit={() => submit({ reason })}
      onClose={onClose}
    >
      <Consequences>
        <li>
          <Trans>For an hour you see what the user sees, here and in the product.</Trans>
        </li>
        <li>
          <Trans>You cannot change anything here. The product decides what you can do there.</Trans>
        </li>
        <li>
          <Trans>It is recorded, with the reason.</Trans>
        </li>
        <NoticeItem email={email} />
      </Consequences>
      <Textarea
        label={t`Reason`}
        description={t`For the audit log, and for the user. For example the number of the support case.`}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={500}
        rows={2}
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormDialog>
  )
}
