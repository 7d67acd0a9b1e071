/** A user: the rules, the record, and who may change it. */
export { type AccessState, type At, accessEndMs, accessState, hasAccess, hasExpired } from './access-state.ts'
export { databaseAccounts } from './answers.ts'
export { hasEnds } from './end-dates/store.ts'
export {
  type Arrival,
  type Fault,
  type Match,
  namesOf,
  type OrganizationNamed,
  type Place,
} from './imported/arrival.ts'
export { type Directory, directoryOf } from './imported/directory.ts'
export type { BroughtFactors, BroughtTotp, FactorWriter } from './imported/factors.ts'
export type {
  GroupDirectory,
  GroupWriter,
  ImportedGroup,
  KnownGroups,
  MemberChange,
  Wanted,
} from './imported/groups.ts'
export { judgeRows } from './imported/judge.ts'
export { stateAfter, type Verdict, type Write } from './imported/verdict.ts'
export { writeRows } from './imported/write.ts'
export { checkUserInput, nameFromEmail, type UserInput } from './input.ts'
export { inviteFound, refuseUninvitable } from './invitations.ts'
export { jobs } from './jobs.ts'
export { personTarget, userChanges, userTarget } from './journal.ts'
export {
  type FindWithRole,
  findWithRole,
  findWithRoleAlone,
  lastOrganizationAdmin,
  organizationToKeep,
  refuseLosingLastAdmin,
} from './last-admin.ts'
export { noteUse } from './last-use.ts'
export {
  freeFailures,
  keptMs,
  lockedUsers,
  longestDelayMs,
  longestWaitMs,
  networkLimit,
  strangerLimit,
  totalLimit,
} from './lock-rules.ts'
export { refuseManaged } from './managed.ts'
export { afterMove } from './moving.ts'
export { notify, notifyAdministrators, notifyHolders } from './notice.ts'
export { closeOrganization, openOrganization } from './organization-changes.ts'
export { type AccountPart, changedParts, refuseOwnAccount, refusePersonalKey } from './own-account.ts'
export { type PasswordNames, passwordHashFor, wordsOf } from './password.ts'
export {
  canUsePassword,
  domainIn,
  holdPasswordAdmins,
  isPasswordRefused,
  type PasswordAdmins,
  passwordRefused,
  refuseLosingPasswordAdmin,
  setPasswordRule,
} from './passwordless/passwordless.ts'
export {
  administeringRoles,
  beyondCaller,
  isPowerful,
  lastingRoles,
  lasts,
  mayChange,
  mayGrant,
  refuseBeyondCaller,
  refuseMissingRole,
  refuseOutranked,
  refuseUngrantableRole,
  rolesAdministeringOrganizations,
  rolesThrough,
} from './rights.ts'
export { countWithRole, keepAdministrators, renewHolders, replaceRole } from './role-changes.ts'
export { type Brought, changedRow, changeOf, keptRow } from './rows.ts'
export { isServiceAccount, refuseServiceAccount } from './service-accounts.ts'
export {
  findDocuments,
  findLastId,
  findPasswords,
  findUsersByNames,
  listWithPermissions,
  type Names,
  ofActiveOrganization,
  type UserRow,
} from './store.ts'
export {
  areThereAny,
  create,
  findById,
  findByTypedName,
  findForSignIn,
  findRowForChange,
  findStanding,
  get,
  getForChange,
  getForRemoval,
  hasActiveAdministrator,
  hasOrganizationAdministrator,
  hasSameCredentials,
  holdForChange,
  holdOwnRow,
  holdRowForChange,
  isPowerfulIfEnabled,
  type LinkInput,
  recordSignIn,
  refuseManagedAccount,
  refuseManagedEmail,
  restore,
  setInvited,
  signInFailed,
  type UserDocument,
  update,
  updateByLink,
  updateOwn,
} from './users.ts'
export { regroup, remove, write } from './write.ts'
