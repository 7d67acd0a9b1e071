import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'

/** For what an administrator changes of other users only: the operation on oneself asks for more. */
export function OwnAccountLink() {
  return (
    <Trans>
      Change this in <Link to="/profile">your account</Link>.
    </Trans>
  )
}
