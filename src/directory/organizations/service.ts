/** Organizations: the customers to whom users belong. Leaves who belongs to one to users/, groups/ and the rooms of access/. */
export { checkDomain } from './domain-form.ts'
export { replaceStated, verifiedDomainsOf } from './domains.ts'
export { findOrganizationOfDomain, listStated } from './domains-store.ts'
export { checkOrganizationInput, organizationIdOf } from './input.ts'
export {
  create,
  getForMember,
  getForRemoval,
  getOrganization,
  holdOrganization,
  organizationFault,
  refuseUnknownOrganization,
  refuseUsers,
  remove,
  removeEmpty,
  update,
} from './organizations.ts'
export {
  findOrganization,
  findOrganizationsNamed,
  hasOrganizations,
  listAll,
  type OrganizationRow,
} from './store.ts'
