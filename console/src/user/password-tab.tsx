import { useLingui } from '@lingui/react/macro'
import type { User } from 'rollbook/client'
import { useCan } from '../api/me.ts'
import { Section } from '../ui/section.tsx'
import { PasswordForm } from './password-form.tsx'
import { ResetLink } from './reset-link.tsx'

type Props = { user: User; onDirty: (isDirty: boolean) => void }

export function PasswordTab({ user, onDirty }: Props) {
  const { t } = useLingui()
  const mayWrite = useCan('users:write')
  const state = user.has_password
    ? t`A new password ends every session of this user at once and unlocks the user.`
    : t`This user has no password and cannot sign in until one is set.`
  return (
    <>
      <Section
        title={user.has_password ? t`Reset password` : t`Set password`}
        description={mayWrite ? state : t`You can view users but not change them: that needs users:write.`}
      >
        <PasswordForm user={user} onDirty={onDirty} />
      </Section>
      {mayWrite && user.has_password && user.active && <ResetLink user={user} />}
    </>
  )
}
