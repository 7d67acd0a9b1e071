import { Trans } from '@lingui/react/macro'
import type { SignInConnection } from 'rollbook/client'

/** Explains in a sentence which users a rule leaves without a password. */
export function PasswordRule({
  connection: { passwords, domains, active },
}: {
  connection: Pick<SignInConnection, 'passwords' | 'domains' | 'active'>
}) {
  const listed = domains.join(', ')
  if (passwords === 'allowed') return <Trans>Users may also sign in with a password.</Trans>
  if (!active) return <Trans>Passwords are refused once the connection is active.</Trans>
  if (passwords === 'refused_for_all')
    return <Trans>No user can sign in with a password, except those named here.</Trans>
  return listed === '' ? (
    <Trans>The connection has no domains, so passwords are not refused for any user.</Trans>
  ) : (
    <Trans>
      Users whose email address or username is in <bdi>{listed}</bdi> cannot sign in with a password.
    </Trans>
  )
}
