/** The organizations of another system and their members. They are read before the users, because exports have them in any order. */
import { openScratch } from '../reading/scratch.ts'
import type { LeftOut, Membership, Memberships, OrganizationFound, SourceOrganization } from '../reading/source.ts'

export async function readMemberships(found: AsyncIterable<OrganizationFound>): Promise<Memberships> {
  const organizations = new Map<string, SourceOrganization>()
  const leftOut: LeftOut[] = []
  const members = openScratch()
  const organizationOf = (id: string): SourceOrganization => {
    const known = organizations.get(id) ?? { id, name: id, active: true, needsSecondFactor: false, domains: [] }
    organizations.set(id, known)
    return known
  }
  const of = (user: string): Membership[] => JSON.parse(members.get('membership', user) ?? '[]')
  try {
    for await (const one of found) {
      if ('leftOut' in one) leftOut.push(one.leftOut)
      else if ('organization' in one) Object.assign(organizationOf(one.organization.id), one.organization)
      else if ('domain' in one) {
        const { organization, ...domain } = one.domain
        const { domains } = organizationOf(organization)
        // Each user of an organization can name its domains.
        if (!domains.some((known) => known.domain === domain.domain)) domains.push(domain)
      } else {
        const { user, ...membership } = one.membership
        organizationOf(membership.organization)
        members.set('membership', user, JSON.stringify(joined(of(user), membership)))
      }
    }
  } catch (error) {
    members.close()
    throw error
  }
  return { organizations, leftOut, of, close: members.close }
}

/** An organization that is named twice is one membership with the roles of both. */
function joined(memberships: readonly Membership[], added: Membership): Membership[] {
  const before = memberships.find(({ organization }) => organization === added.organization)
  if (before === undefined) return [...memberships, added]
  const both = { ...before, ...added, roles: [...new Set([...before.roles, ...added.roles])] }
  return memberships.map((one) => (one === before ? both : one))
}

/** The organization to which a user belongs: the one that manages them, else the first in the export; and the others. */
export function homeAmong(memberships: readonly Membership[]): { home?: Membership; others: Membership[] } {
  const home = memberships.find(({ isHome }) => isHome) ?? memberships[0]
  return { ...(home !== undefined && { home }), others: memberships.filter((one) => one !== home) }
}
