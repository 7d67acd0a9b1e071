import { Trans } from '@lingui/react/macro'

/** Among the consequences of a change of which the user is told. */
export function NoticeItem({ email }: { email: string | null }) {
  if (email === null) return null
  return (
    <li>
      <Trans>
        A notice goes to <bdi>{email}</bdi>, if a mail server is set up.
      </Trans>
    </li>
  )
}
