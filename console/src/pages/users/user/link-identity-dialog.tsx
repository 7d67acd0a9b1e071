import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { LinkUserIdentity, SignInConnection, User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { userKey } from '../../../data/users.ts'
import { FormDialog } from '../../../layout/form-dialog.tsx'
import { NoticeItem } from '../../../parts/user-actions/notice-item.tsx'
import { Consequences } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

type Props = { user: User; connections: readonly SignInConnection[]; onClose: () => void }

/** Links an account of a company to a user whom an address does not link. */
export default function LinkIdentityDialog({ user: { user_id, username, email }, connections, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const [connection_id, setConnection] = useState(connections[0]?.connection_id ?? '')
  const [typed, setTyped] = useState('')
  const subject = typed.trim()
  const { submit, ...sending } = useSubmit(
    (account: LinkUserIdentity, idempotencyKey) => api.connections.linkIdentityOf(user_id, account, { idempotencyKey }),
    {
      onSuccess() {
        for (const key of [userKey(user_id), ['sign-in-connections']]) {
          void queries.invalidateQueries({ queryKey: key })
        }
        showToast({ message: t`The account was linked to ${username}.` })
        onClose()
      },
    },
  )
  return (
    <FormDialog
      title={t`Link an account to ${username}`}
      isDirty={subject !== ''}
      sending={sending}
      refusal={t`Nothing was linked.`}
      calls={[{ operation: 'POST /users/{user_id}/identities', path: { user_id }, body: { connection_id, subject } }]}
      action={<Trans>Link the account</Trans>}
      onSubmit={() => submit({ connection_id, subject })}
      onClose={onClose}
    >
      <Consequences>
        <li>
          <Trans>
            Signing in with this account at the company signs in as this user. Make sure whose account it is.
          </Trans>
        </li>
        <NoticeItem email={email} />
      </Consequences>
      <NativeSelect
        label={t`Company`}
        value={connection_id}
        onChange={(event) => setConnection(event.currentTarget.value)}
        data={connections.map((one) => ({ value: one.connection_id, label: one.name }))}
      />
      <TextInput
        label={t`ID of the account there`}
        description={t`For example sub or the NameID. After a sign-in that was refused, the page of the connection shows it.`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        maxLength={255}
        dir="ltr"
        required
        withAsterisk={false}
        data-autofocus
      />
    </FormDialog>
  )
}
