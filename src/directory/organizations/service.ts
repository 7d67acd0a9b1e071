/** Organizations: the customers to whom users belong. Leaves who belongs to one to users/, groups/ and the rooms of access/. */
export { verifiedDomainsOf } from './domains.ts'
export { findOrganizationOfDomain } from './domains-store.ts'
export { organizationIdOf } from './input.ts'
export {
  getForMember,
  getForRemoval,
  organizationFault,
  refuseUnknownOrganization,
  refuseUsers,
  removeEmpty,
  update,
} from './organizations.ts'
export { findOrganization, findOrganizationsNamed, hasOrganizations, type OrganizationRow } from './store.ts'
