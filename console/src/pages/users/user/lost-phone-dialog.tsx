/** For a user who has lost the phone and the recovery codes. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import type { Factors, User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { userKey } from '../../../data/users.ts'
import { ConfirmDialog } from '../../../layout/form-dialog.tsx'
import { NoticeItem } from '../../../parts/user-actions/notice-item.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { Consequences } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'
import { NextSignIn } from './remove-factor-dialog.tsx'

type Props = { user: User; factors: Factors; onClose: () => void }

export default function LostPhoneDialog({ user: { user_id, username, email, has_password }, factors, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const { submit, ...sending } = useSubmit((id: string) => api.factors.resetOf(id), {
    async onSuccess() {
      // Closed when the button that opened it is gone, so that the focus does not go there.
      await queries.invalidateQueries({ queryKey: userKey(user_id) })
      void queries.invalidateQueries({ queryKey: ['second-factor-policy'] })
      showToast({ message: t`All factors of ${username} were removed. The user is signed out everywhere.` })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t`Remove all factors of ${username}?`}
      sending={sending}
      refusal={t`Nothing was removed.`}
      calls={[{ operation: 'DELETE /users/{user_id}/factors', path: { user_id } }]}
      action={<Trans>Remove all factors</Trans>}
      isDangerous
      onConfirm={() => submit(user_id)}
      onClose={onClose}
    >
      <p className={styles.warning}>
        <Trans>
          First make sure who is asking: call back on a number you know, or meet in person. This is how attackers get
          around second factors.
        </Trans>
      </p>
      <Consequences>
        <li>
          <Plural
            value={factors.factors.length}
            one="# factor and all recovery codes stop working."
            other="# factors and all recovery codes stop working."
          />
        </li>
        <li>
          <Trans>The user is signed out everywhere at once.</Trans>
        </li>
        <NoticeItem email={email} />
        <li>
          <NextSignIn required={factors.required} />
        </li>
        {!has_password && (
          <li>
            <Trans>The user has no password, and needs one to sign in.</Trans>
          </li>
        )}
      </Consequences>
    </ConfirmDialog>
  )
}
