// Made from the files of this folder by `npm run generate`.
import { users } from './0001-users.ts'
import { search } from './0002-search.ts'
import { severalNodes } from './0003-several-nodes.ts'
import { signIn } from './0004-sign-in.ts'
import { journal } from './0005-journal.ts'
import { deletedUsers } from './0006-deleted-users.ts'
import { webhooks } from './0007-webhooks.ts'
import { imports } from './0008-imports.ts'
import { setup } from './0009-setup.ts'
import { statistics } from './0010-statistics.ts'
import { usersWithoutPassword } from './0011-users-without-password.ts'
import { nodes } from './0012-nodes.ts'
import { usersNeverSignedIn } from './0013-users-never-signed-in.ts'
import { lockedUsers } from './0014-locked-users.ts'
import { groups } from './0015-groups.ts'
import { searchOfDeletedUsers } from './0016-search-of-deleted-users.ts'
import { scimDocuments } from './0017-scim-documents.ts'
import { provisioning } from './0018-provisioning.ts'
import { mails } from './0019-mails.ts'
import { factors } from './0020-factors.ts'
import { attributes } from './0021-attributes.ts'
import { links } from './0022-links.ts'
import { passkeys } from './0023-passkeys.ts'
import { trustedBrowsers } from './0024-trusted-browsers.ts'
import { invitedUsers } from './0025-invited-users.ts'
import { signInConnections } from './0026-sign-in-connections.ts'
import { companySessions } from './0027-company-sessions.ts'
import { factorOwners } from './0034-factor-owners.ts'
import { askingBrowsers } from './0036-asking-browsers.ts'
import { placesOfUsers } from './0042-places-of-users.ts'
import { journalById } from './0043-journal-by-id.ts'
import { searchTexts } from './0044-search-texts.ts'
import { pendingEntries } from './0045-pending-entries.ts'
import { oneFormOfDomains } from './0047-one-domain-form.ts'
import { textsOfUsersWhoLeft } from './0048-texts-of-users-who-left.ts'
import { domainFormOfAttributes } from './0049-domain-form-of-attributes.ts'
import { outcomesOfTests } from './0050-outcomes-of-tests.ts'
import { keysOfUsers } from './0051-keys-of-users.ts'
import { impersonation } from './0053-impersonation.ts'
import { serviceAccounts } from './0054-service-accounts.ts'
import { documentsOfOlderReleases } from './0055-documents-of-older-releases.ts'
import { networksOfStrangers } from './0056-networks-of-strangers.ts'
import { managedGroups } from './0058-managed-groups.ts'
import { marksInSearchTexts } from './0059-marks-in-search-texts.ts'
import { settingsOfNodes } from './0063-settings-of-nodes.ts'
import { searchByAttributes } from './0064-search-by-attributes.ts'
import { branding } from './0065-branding.ts'
import { accessRequests } from './0067-access-requests.ts'
import { emailCodes } from './0068-email-codes.ts'
import { cliLogins } from './0069-cli-logins.ts'
import { rolesAndPolicies } from './0070-roles-and-policies.ts'
import { endDates } from './0071-end-dates.ts'
import { configurationFiles } from './0072-configuration-files.ts'
import { reviews } from './0073-reviews.ts'
import { inactivity } from './0074-inactivity.ts'
import { reviewReminders } from './0075-review-reminders.ts'
import { brandingByFile } from './0077-branding-by-file.ts'
import { membershipEnds } from './0078-membership-ends.ts'
import { organizations } from './0079-organizations.ts'
import { domainProofs } from './0080-domain-proofs.ts'
import { auditOfOrganizations } from './0082-audit-of-organizations.ts'
import { mappedEndDates } from './0083-mapped-end-dates.ts'
import { usersWithPermissions } from './0084-users-with-permissions.ts'
import { organizationSetupLinks } from './0085-organization-setup-links.ts'
import { limitedCallers } from './0086-limited-callers.ts'
import { statedDomains } from './0087-stated-domains.ts'
import { usersOfOrganizations } from './0089-users-of-organizations.ts'
import { placesOfOrganizations } from './0090-places-of-organizations.ts'
import type { Migration } from './migration.ts'

/** In this order. */
export const migrations: readonly Migration[] = [
  users,
  search,
  severalNodes,
  signIn,
  journal,
  deletedUsers,
  webhooks,
  imports,
  setup,
  statistics,
  usersWithoutPassword,
  nodes,
  usersNeverSignedIn,
  lockedUsers,
  groups,
  searchOfDeletedUsers,
  scimDocuments,
  provisioning,
  mails,
  factors,
  attributes,
  links,
  passkeys,
  trustedBrowsers,
  invitedUsers,
  signInConnections,
  companySessions,
  factorOwners,
  askingBrowsers,
  placesOfUsers,
  journalById,
  searchTexts,
  pendingEntries,
  oneFormOfDomains,
  textsOfUsersWhoLeft,
  domainFormOfAttributes,
  outcomesOfTests,
  keysOfUsers,
  impersonation,
  serviceAccounts,
  documentsOfOlderReleases,
  networksOfStrangers,
  managedGroups,
  marksInSearchTexts,
  settingsOfNodes,
  searchByAttributes,
  branding,
  accessRequests,
  emailCodes,
  cliLogins,
  rolesAndPolicies,
  endDates,
  configurationFiles,
  reviews,
  inactivity,
  reviewReminders,
  brandingByFile,
  membershipEnds,
  organizations,
  domainProofs,
  auditOfOrganizations,
  mappedEndDates,
  usersWithPermissions,
  organizationSetupLinks,
  limitedCallers,
  statedDomains,
  usersOfOrganizations,
  placesOfOrganizations,
]
