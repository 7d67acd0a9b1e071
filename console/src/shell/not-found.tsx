import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Page } from '../ui/page.tsx'

export default function NotFound() {
  const { t } = useLingui()
  return (
    <main>
      <Page title={t`There is nothing at this address.`}>
        <p>
          <Link to="/users">
            <Trans>To the users</Trans>
          </Link>
        </p>
      </Page>
    </main>
  )
}
