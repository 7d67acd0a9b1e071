import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Page } from '../ui/page.tsx'

export default function NotFound() {
  const { t } = useLingui()
  return (
    <Page
      title={t`Page not found`}
      description={t`There is nothing at this address. Perhaps it was not copied as a whole.`}
    >
      <p>
        <Link to="/users">
          <Trans>Go to the users</Trans>
        </Link>
      </p>
    </Page>
  )
}
