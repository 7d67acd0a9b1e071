import { Trans } from '@lingui/react/macro'

/** A consequence to list before a change, if the user is notified of it. */
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
