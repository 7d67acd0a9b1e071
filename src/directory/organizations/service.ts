/** Organizations: the customers to whom users belong. Leaves who belongs to one to users/, groups/ and the rooms of access/. */
export { verifiedDomainsOf } from './domains.ts'
export { getForMember } from './organizations.ts'
export { findOrganization, type OrganizationRow } from './store.ts'
