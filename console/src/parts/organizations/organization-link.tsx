/** The organization of a user, a group, a key or a connection: its name, which leads to its page. */
import { Link } from '@tanstack/react-router'
import { useOrganizationName } from '../../data/organizations.ts'

/** A dash for what belongs to none; the id until the name is known. */
type Props = { organizationId: string | undefined; tabIndex?: number }

export function OrganizationLink({ organizationId, tabIndex }: Props) {
  const name = useOrganizationName(organizationId)
  if (organizationId === undefined) return <span>–</span>
  return (
    <Link
      to="/organizations/$organizationId"
      params={{ organizationId }}
      dir="auto"
      {...(tabIndex !== undefined && { tabIndex })}
    >
      {name ?? organizationId}
    </Link>
  )
}
