/** Organizations: the customers to whom users belong. Leaves who belongs to one to users/, groups/ and the rooms of access/. */
export { checkDomain } from './domain-form.ts'
export { newProof, proofLimiter, requireProof } from './domain-proof.ts'
export { getDomain, replaceStated, verifiedDomainsOf } from './domains.ts'
export { findOrganizationOfDomain, listStated } from './domains-store.ts'
export { checkOrganizationInput, organizationIdOf } from './input.ts'
export { jobs } from './jobs.ts'
export {
  create,
  get as readOrganization,
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
export type { SetupFeature } from './setup-link-schema.ts'
export {
  type ClosedSetupLink,
  endSetupLinks,
  eraseInSetupLinks,
  isUseDue,
  type OpenSetupLink,
  openSetupLink,
} from './setup-links.ts'
export {
  findOrganization,
  findOrganizationsNamed,
  hasOrganizations,
  listAll,
  type OrganizationRow,
} from './store.ts'
