import { Trans } from '@lingui/react/macro'
import { placeAndBack } from '../../../api/base.ts'

/** For what an administrator changes of other users only: the operation on oneself asks for more. */
export function OwnAccountLink() {
  return (
    <Trans>
      Change this in <a href={placeAndBack('account')}>your account</a>.
    </Trans>
  )
}
