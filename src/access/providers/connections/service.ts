/** Connections to identity providers, and what their claims mean for a user. */
export { doubtAddress, type Renewal, renewalOf } from './address.ts'
export { applyClaims, type Said } from './apply-claims.ts'
export { type ClaimNote, type NoteTexts, noteParts, noteTexts } from './claim-notes.ts'
export {
  type Button,
  type ConnectionRow,
  create,
  dropDomain,
  type Failure,
  findCompany,
  findConnection,
  findConnectionForShare,
  findNamesOfRole,
  getRow,
  hasCompany,
  hasDomains,
  isUsable,
  keepFailure,
  list,
  listButtons,
  listFailures,
  listLinkable,
  listRows,
  refuseUnlessMayEdit,
  remove,
  type Shown,
  settingsOf,
  targetOf,
  update,
} from './connections.ts'
export {
  type Decision,
  decide,
  decideForChange,
  decideSignIn,
  explainClaims,
  type Person,
  personOf,
  type Reason,
  type RefusalReason,
  reasonTexts,
  tryClaims,
} from './decide.ts'
export { allOf, erase, findAccounts, findUsersWithWays, link, listOf, removeOfOrganization, use } from './identities.ts'
export { addressOf } from './issuer-address.ts'
export { jobs } from './jobs.ts'
export { type CertificateFault, readCertificate } from './kinds/certificates.ts'
export type { GithubSettings } from './kinds/github.ts'
export type { Claims } from './kinds/kind.ts'
export { type KindName, kindOf, kindSecrets } from './kinds/kinds.ts'
export { type DirectoryServer, readServer } from './kinds/ldap-server.ts'
export { type LdapSettings, placeholder } from './kinds/ldap-settings.ts'
export { lacksClaims, type OidcSettings } from './kinds/oidc.ts'
export { type SamlSettings, urlFaults } from './kinds/saml.ts'
export {
  applyEnd,
  applyMapping,
  asConnection,
  creationOf,
  isEndedByClaims,
  isMappingDue,
  unreadClaims,
  unreadDetail,
} from './mapping.ts'
export { openConnection } from './open.ts'
export { isMailboxInDoubt, type Judging } from './ownership.ts'
export type { Prepare, Probe, Reach } from './preparation.ts'
export {
  type Before,
  type Departure,
  type OpenConnection,
  type Order,
  type PeoplePage,
  type Protocol,
  ProtocolFailure,
  type ProtocolOptions,
  type ProtocolReason,
  type Returned,
  type Vouched,
} from './protocol.ts'
export { createProviderCalls, isUnreachable } from './provider-calls.ts'
export type { CreateSignInConnection, UpdateSignInConnection } from './schema.ts'
export { apart, type GivenSecrets, openSecrets, storedSecrets, usableSecrets } from './secrets.ts'
export { changedSettings, initialSettings } from './settings.ts'
