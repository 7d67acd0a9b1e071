/** Organizations: the customers to whom users belong. Leaves who belongs to one to users/, groups/ and the rooms of access/. */
export { verifiedDomainsOf } from './domains.ts'
export { findOrganizationOfDomain } from './domains-store.ts'
export { getForMember, organizationFault, refuseUnknownOrganization } from './organizations.ts'
export { findOrganization, findOrganizationsNamed, hasOrganizations, type OrganizationRow } from './store.ts'
