import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SignInConnection } from 'rollbook/client'
import { api } from '../api/client.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { signInConnectionsKey } from '../sign-in-connection/queries.ts'
import { Consequences, Dialog, DialogFoot } from '../ui/dialog.tsx'
import { Problem } from '../ui/problem.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useSubmit } from '../ui/use-submit.ts'

type Props = { connection: SignInConnection; onClose: () => void }

export default function DeleteConnectionDialog({ connection, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { connection_id, name, identity_count } = connection
  const { submit, isPending, error } = useSubmit((id: string) => api.connections.delete(id), {
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
    <Dialog isOpen onClose={onClose} title={t`Delete the connection ${name}?`}>
      <Consequences>
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
      </Consequences>
      {error && <Problem error={error} title={t`The connection was not deleted.`} />}
      <DialogFoot
        aside={
          <ApiCallButton
            size="xs"
            calls={[{ operation: 'DELETE /connections/{connection_id}', path: { connection_id } }]}
          />
        }
      >
        <Button variant="default" onClick={onClose} data-autofocus>
          <Trans>Cancel</Trans>
        </Button>
        <Button color="red.9" loading={isPending} onClick={() => submit(connection_id)}>
          <Trans>Delete connection</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
