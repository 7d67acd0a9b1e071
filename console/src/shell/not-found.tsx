import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Page } from '../layout/page.tsx'

export default function NotFound() {
  const { t } = useLingui()
  return (
    <Page title={t`Page not found`} description={t`Check the address.`}>
      <p>
        <Button variant="default" renderRoot={(props) => <Link {...props} to="/users" />}>
          <Trans>Go to users</Trans>
        </Button>
      </p>
    </Page>
  )
}
