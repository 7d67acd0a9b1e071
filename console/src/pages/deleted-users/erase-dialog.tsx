import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { DeletedUser } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './deleted-users.module.css'

type Props = { user: DeletedUser; onClose: () => void }

/** The only action here that cannot be undone. */
export default function EraseDialog({ user: { user_id, username }, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const { submit, isPending, error } = useSubmit((id: string) => api.users.delete(id, { purge: true }), {
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['deleted-users'] })
      showToast({ message: t`${username} was erased.` })
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={t`Erase ${username} for good?`}>
      <p>
        <Trans>
          This cannot be undone. Names, addresses and all other personal data are erased now, also from the audit, which
          keeps only what was done and when.
        </Trans>
      </p>
      <p>
        <Trans>
          Not changed: a database account named <bdi>{username}</bdi>.
        </Trans>
      </p>
      {error && <Problem error={error} title={t`${username} was not erased.`} />}
      <DialogFoot
        aside={
          <ApiCallButton
            calls={[{ operation: 'DELETE /users/{user_id}', path: { user_id }, query: { purge: true } }]}
          />
        }
      >
        <Button variant="default" data-autofocus onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button className={styles.dangerous ?? ''} loading={isPending} onClick={() => submit(user_id)}>
          <Trans>Erase for good</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
