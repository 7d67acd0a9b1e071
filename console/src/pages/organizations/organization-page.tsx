import { getRouteApi } from '@tanstack/react-router'
import { OneOrganization } from './one-organization.tsx'

const route = getRouteApi('/shell/organizations/$organizationId')

export default function OrganizationPage() {
  const { organizationId } = route.useParams()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    // A new key for each organization, so that no dialog is carried over.
    <OneOrganization
      key={organizationId}
      organizationId={organizationId}
      tab={tab}
      onTab={(next) => void navigate({ search: { tab: next }, replace: true, resetScroll: false })}
    />
  )
}
