import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { api } from '../../../api/client.ts'
import { useCan } from '../../../api/me.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { invitationQuery, userKey, userQuery } from '../../../data/users.ts'
import { loadedAhead } from '../../../ui/loaded-ahead.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Instant } from '../../../ui/time.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import styles from './sign-in-answer.module.css'

const { Component: InviteDialog, usePreload } = loadedAhead(
  () => import('../../../parts/user-actions/invite-dialog.tsx'),
)

/** Until when the invitation of a user works, and what to do about it. */
export function Invitation({ user_id }: { user_id: string }) {
  const { t } = useLingui()
  const { data: user } = useQuery(userQuery(user_id))
  const mayWrite = useCan('users:write', user ?? {})
  const { data, error, refetch } = useQuery(invitationQuery(user_id))
  const [dialog, setDialog] = useState<'send' | 'copy' | undefined>()
  usePreload()
  const withdraw = useSubmit((one: string) => api.users.withdrawInvitation(one), {
    stale: [['users'], userKey(user_id)],
    onSuccess() {
      showToast({ message: t`The invitation was withdrawn. Its link no longer works.` })
    },
  })
  if (error !== null) {
    return <Problem error={error} retry={() => void refetch()} title={t`Could not load the invitation.`} />
  }
  if (data === undefined || user === undefined) return null
  const { expires_at } = data
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now()
  return (
    <div className={styles.invitation}>
      <p>
        {expires_at === null ? (
          <Trans>Invited, but the link no longer works. Invite the user again.</Trans>
        ) : isOver ? (
          <Trans>
            Invited, but the link expired on <Instant value={expires_at} style="full" />. Invite the user again.
          </Trans>
        ) : (
          <Trans>
            Invited: the link works until <Instant value={expires_at} style="full" />.
          </Trans>
        )}
      </p>
      {withdraw.error && <Problem error={withdraw.error} title={t`The invitation was not withdrawn.`} />}
      {mayWrite && (
        <Group gap={8} align="stretch">
          <Button size="xs" variant="default" onClick={() => setDialog('send')}>
            <Trans>Invite again</Trans>
          </Button>
          <Button size="xs" variant="default" onClick={() => setDialog('copy')}>
            <Trans>Copy link</Trans>
          </Button>
          <Button size="xs" variant="default" loading={withdraw.isPending} onClick={() => withdraw.submit(user_id)}>
            <Trans>Withdraw invitation</Trans>
          </Button>
          <ApiCallButton
            size="xs"
            calls={[
              { operation: 'GET /users/{user_id}/invitation', path: { user_id } },
              { operation: 'DELETE /users/{user_id}/invitation', path: { user_id } },
            ]}
          />
        </Group>
      )}
      <Suspense fallback={null}>
        {dialog !== undefined && (
          <InviteDialog user={user} onlyLink={dialog === 'copy'} onClose={() => setDialog(undefined)} />
        )}
      </Suspense>
    </div>
  )
}
