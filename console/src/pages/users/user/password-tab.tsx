import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { User } from 'rollbook/client'
import { useMe } from '../../../api/me.ts'
import { signInQuery } from '../../../data/users.ts'
import { PasswordForm } from '../../../parts/user-actions/password-form.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { Section } from '../../../ui/section.tsx'
import { OwnAccountLink } from './own-account-link.tsx'
import { ResetLink } from './reset-link.tsx'

type Props = { user: User; onDirty: (isDirty: boolean) => void }

export function PasswordTab({ user, onDirty }: Props) {
  const { t } = useLingui()
  const isMe = useMe().user_id === user.user_id
  const { data: signIn } = useQuery(signInQuery(user.user_id))
  const state = user.has_password
    ? t`A new password ends every session of this user at once and unlocks the user.`
    : signIn?.cause === 'company_sign_in'
      ? t`This user signs in with their company and needs no password here.`
      : signIn?.cause === 'email_code_only'
        ? t`This user signs in with codes by email and needs no password.`
        : t`This user has no password and cannot sign in until one is set.`
  if (isMe)
    return (
      <Section title={t`Password`}>
        <p className={styles.empty}>
          <OwnAccountLink />
        </p>
      </Section>
    )
  return (
    <>
      <Section title={user.has_password ? t`Reset password` : t`Set password`} description={state}>
        <PasswordForm user={user} onDirty={onDirty} />
      </Section>
      {user.has_password && user.active && <ResetLink user={user} />}
    </>
  )
}
