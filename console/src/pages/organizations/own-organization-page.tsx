/** The organization of an administrator who manages nothing else. */
import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useMe } from '../../api/me.ts'
import { Page } from '../../layout/page.tsx'
import { Empty } from '../../ui/empty.tsx'
import { OneOrganization } from './one-organization.tsx'

const route = getRouteApi('/shell/organization')

export default function OwnOrganizationPage() {
  const { t } = useLingui()
  const { org_id } = useMe()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  if (org_id === undefined)
    return (
      <Page title={t`Organization`}>
        <Empty title={t`You belong to no organization.`} />
      </Page>
    )
  return (
    <OneOrganization
      organizationId={org_id}
      tab={tab}
      onTab={(next) => void navigate({ search: { tab: next }, replace: true, resetScroll: false })}
    />
  )
}
