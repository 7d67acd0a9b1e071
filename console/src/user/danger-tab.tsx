import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { User } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan, useMe } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { Problem } from '../ui/problem.tsx'
import { Section } from '../ui/section.tsx'
import { showToast } from '../ui/toasts.tsx'
import { useSubmit } from '../ui/use-submit.ts'
import { userKey } from './queries.ts'
import styles from './user.module.css'

type Props = { user: User; onDelete: () => void }

export function DangerTab({ user, onDelete }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const mayWrite = useCan('users:write')
  const isMe = useMe().user_id === user.user_id
  const { user_id, username, active } = user
  const { submit, isPending, error } = useSubmit((next: boolean) => api.users.update(user_id, { active: next }), {
    onSuccess(changed) {
      queries.setQueryData(userKey(user_id), changed)
      void queries.invalidateQueries({ queryKey: ['users'] })
      showToast({ message: changed.active ? t`${username} can sign in again.` : t`${username} was disabled.` })
    },
  })
  return (
    <div className={styles.stack}>
      {!mayWrite && (
        <p className={styles.empty}>
          <Trans>You can view users but not change them: that needs users:write.</Trans>
        </p>
      )}
      {isMe && (
        <p className={styles.warning}>
          <Trans>This is your own account. Disabling or deleting it ends your session at once.</Trans>
        </p>
      )}
      <Section
        title={active ? t`Disable` : t`Enable`}
        description={
          active
            ? t`Signed out everywhere at once, and cannot sign in until enabled again. Nothing is lost.`
            : t`The user can sign in again, with the same password.`
        }
        actions={
          <>
            <ApiCallButton
              calls={[{ operation: 'PATCH /users/{user_id}', path: { user_id }, body: { active: !active } }]}
            />
            <Button variant="default" disabled={!mayWrite} loading={isPending} onClick={() => submit(!active)}>
              {active ? <Trans>Disable the user</Trans> : <Trans>Enable the user</Trans>}
            </Button>
          </>
        }
      >
        {error && <Problem error={error} title={t`Nothing was changed.`} />}
      </Section>
      <Section
        title={t`Delete`}
        description={t`You can undo this for a while. An account in the database is not changed.`}
        actions={
          <>
            <ApiCallButton calls={[{ operation: 'DELETE /users/{user_id}', path: { user_id } }]} />
            <Button className={styles.dangerous ?? ''} disabled={!mayWrite} onClick={onDelete}>
              <Trans>Delete the user…</Trans>
            </Button>
          </>
        }
      />
    </div>
  )
}
