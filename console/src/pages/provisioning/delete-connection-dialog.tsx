import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ProvisioningConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { DeleteDialog } from '../../parts/connections/delete-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { connection: ProvisioningConnection; onClose: () => void }

export default function DeleteConnectionDialog({ connection, onClose }: Props) {
  const { t } = useLingui()
  const { connection_id, name, user_count } = connection
  const queries = useQueryClient()
  const navigate = useNavigate()
  const lock = useFileLock(connection)
  const { submit, ...sending } = useSubmit((id: string) => api.provisioning.delete(id, lock.how), {
    onSuccess() {
      showToast({ message: t`The connection ${name} was deleted.` })
      void navigate({ to: '/provisioning' }).then(() => {
        queries.removeQueries({ queryKey: ['provisioning', connection_id] })
        for (const queryKey of [['provisioning'], ['users'], ['keys']]) void queries.invalidateQueries({ queryKey })
      })
    },
  })
  return (
    <DeleteDialog
      name={name}
      sending={sending}
      call={{ operation: 'DELETE /provisioning/{connection_id}', path: { connection_id }, query: lock.how }}
      lock={lock}
      onDelete={() => submit(connection_id)}
      onClose={onClose}
    >
      <li>
        <Trans>Its keys end at once, so that the identity provider is refused.</Trans>
      </li>
      <li>
        <Plural
          value={user_count}
          _0="It manages no users."
          one="# user stays as is, and can be changed here again."
          other="# users stay as they are, and can be changed here again."
        />
      </li>
      <li>
        <Trans>People who leave the company keep their access until an administrator removes it.</Trans>
      </li>
    </DeleteDialog>
  )
}
