import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SignInConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { signInConnectionsKey } from '../../data/sign-in-connections.ts'
import { DeleteDialog } from '../../parts/connections/delete-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { connection: SignInConnection; onClose: () => void }

export default function DeleteConnectionDialog({ connection, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { connection_id, name, identity_count } = connection
  const lock = useFileLock(connection)
  const { submit, ...sending } = useSubmit((id: string) => api.connections.delete(id, lock.how), {
    onSuccess() {
      showToast({ message: t`The connection ${name} was deleted.` })
      void navigate({ to: '/sign-in-connections' }).then(() => {
        queries.removeQueries({ queryKey: [...signInConnectionsKey, connection_id] })
        for (const queryKey of [signInConnectionsKey, ['users'], ['sessions']])
          void queries.invalidateQueries({ queryKey })
      })
    },
  })
  return (
    <DeleteDialog
      name={name}
      sending={sending}
      call={{ operation: 'DELETE /connections/{connection_id}', path: { connection_id }, query: lock.how }}
      lock={lock}
      onDelete={() => submit(connection_id)}
      onClose={onClose}
    >
      <li>
        <Plural
          value={identity_count}
          _0="No user has linked it."
          one="# user can no longer sign in through it, and is unlinked."
          other="# users can no longer sign in through it, and are unlinked."
        />
      </li>
      <li>
        <Trans>The sessions through it end at once.</Trans>
      </li>
      <li>
        <Trans>The users stay. Those without a password need a link for a new one.</Trans>
      </li>
    </DeleteDialog>
  )
}
