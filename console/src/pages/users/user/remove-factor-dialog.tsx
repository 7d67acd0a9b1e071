import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import type { Factor, Factors, User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { userKey } from '../../../data/users.ts'
import { ConfirmDialog } from '../../../layout/form-dialog.tsx'
import { Consequences } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

type Props = { user: User; factor: Factor; factors: Factors; onClose: () => void }

export default function RemoveFactorOfUserDialog({ user, factor, factors, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const { user_id, username } = user
  const { factor_id, name } = factor
  const { submit, ...sending } = useSubmit((id: string) => api.factors.removeOf(user_id, id), {
    async onSuccess() {
      // Closed when its row is gone, so that the focus does not go there.
      await queries.invalidateQueries({ queryKey: userKey(user_id) })
      void queries.invalidateQueries({ queryKey: ['second-factor-policy'] })
      showToast({ message: t`${name} was removed. ${username} is signed out everywhere.` })
      onClose()
    },
  })
  const isLast = factors.factors.length === 1
  return (
    <ConfirmDialog
      title={t`Remove ${name} of ${username}?`}
      sending={sending}
      refusal={t`It was not removed.`}
      calls={[{ operation: 'DELETE /users/{user_id}/factors/{factor_id}', path: { user_id, factor_id } }]}
      action={<Trans>Remove</Trans>}
      isDangerous
      onConfirm={() => submit(factor_id)}
      onClose={onClose}
    >
      <Consequences>
        <li>
          <Trans>Its codes are no longer accepted, and the user is signed out everywhere.</Trans>
        </li>
        {isLast && (
          <li>
            <Trans>It is the only one: the recovery codes end too.</Trans> <NextSignIn required={factors.required} />
          </li>
        )}
      </Consequences>
    </ConfirmDialog>
  )
}

/** The effect of the policy on a user without factors. */
export function NextSignIn({ required }: { required: boolean }) {
  return required ? (
    <Trans>The policy requires a second factor: the user adds a new one at the next sign-in.</Trans>
  ) : (
    <Trans>The policy requires none. The user then signs in with a password only.</Trans>
  )
}
