import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { HandedLink, HandOutLink, User } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { userKey } from '../../data/users.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { Dialog, DialogFoot, SavedFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Instant } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from '../user-details/user.module.css'
import { ManagedNotice } from './managed-notice.tsx'

type Props = {
  user: User
  /** Offers only the link, not a message. */
  onlyLink?: boolean
  onClose: () => void
}

/** Sends an invitation, or shows its link once to hand it over. */
export default function InviteDialog({
  user: { user_id, username, email, invited, managed_by },
  onlyLink = false,
  onClose,
}: Props) {
  const { t } = useLingui()
  const [override, setOverride] = useState(false)
  const { submit, isPending, values, error, result } = useSubmit(
    (body: HandOutLink, idempotencyKey) => api.users.invite(user_id, body, { idempotencyKey, override }),
    {
      stale: [['users'], userKey(user_id)],
      onSuccess({ sent, url }) {
        if (!sent || url !== undefined) return
        showToast({ message: t`The invitation to ${username} is on its way to ${email ?? ''}.` })
        onClose()
      },
    },
  )
  if (result?.url !== undefined) {
    return <LinkOnce username={username} link={result} isWanted={values?.send === false} onClose={onClose} />
  }
  const canSend = email !== null && !onlyLink
  return (
    <Dialog isOpen onClose={onClose} title={t`Invite ${username}`}>
      <p className={styles.said}>
        {canSend ? (
          <Trans>
            A message with a link goes to <bdi>{email}</bdi>. With the link the user chooses a password. It works once,
            for 7 days.
          </Trans>
        ) : (
          <Trans>
            You get a link, which you hand over. With it the user chooses a password. It works once, for 7 days.
          </Trans>
        )}
      </p>
      {invited === true && (
        <p className={styles.said}>
          <Trans>The earlier link stops working.</Trans>
        </p>
      )}
      {managed_by !== undefined && (
        <ManagedNotice connectionId={managed_by} mayWrite isOverridden={override} onOverride={setOverride} />
      )}
      {error && <Problem error={error} title={t`The user was not invited.`} />}
      <DialogFoot
        aside={
          <ApiCallButton
            size="xs"
            calls={[
              {
                operation: 'POST /users/{user_id}/invitation',
                path: { user_id },
                body: canSend ? {} : { send: false },
              },
            ]}
          />
        }
      >
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          data-autofocus={canSend ? undefined : true}
          variant={canSend ? 'default' : 'filled'}
          loading={isPending && values?.send === false}
          onClick={() => submit({ send: false })}
        >
          <Trans>Create link</Trans>
        </Button>
        {canSend && (
          <Button data-autofocus loading={isPending && values?.send !== false} onClick={() => submit({})}>
            <Trans>Send invitation</Trans>
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}

type LinkProps = { username: string; link: HandedLink; isWanted: boolean; onClose: () => void }

function LinkOnce({ username, link: { url = '', expires_at }, isWanted, onClose }: LinkProps) {
  const { t } = useLingui()
  return (
    <Dialog isOpen loses="secret" onClose={onClose} title={t`Invitation link for ${username}`} size="lg">
      {!isWanted && (
        <p className={styles.said}>
          <Trans>
            No message was sent: no mail server is set up (<code>ROLLBOOK_SMTP_URL</code>). Hand over the link yourself.
          </Trans>
        </p>
      )}
      <p className={styles.warning} role="status">
        <strong>
          <Trans>Copy it now. It is shown only once and cannot be retrieved later.</Trans>
        </strong>
      </p>
      <CopyLine text={url} label={t`the invitation link`} />
      <p className={styles.said}>
        <Trans>
          Anyone with the link can choose the password. It works once, until <Instant value={expires_at} style="full" />
          .
        </Trans>
      </p>
      <SavedFoot onClose={onClose} />
    </Dialog>
  )
}
