/** Second factors and passkeys: adding, checking, using and removing them. */
export { addFirstPasskey, getPasskeyChallenge, getPending, refuseUnlessFirst, refuseUnproven } from './enrollment.ts'
export { findForExport } from './exported.ts'
export {
  erase,
  findOwners,
  findPasskey,
  hasFactor,
  listFactors,
  listOf,
  methodsOf,
  removeOwn,
  requiredFrom,
} from './factors.ts'
export { refuseStaleUnlessFirst } from './first-factor.ts'
export { importedFactors, totpKeeper } from './imported.ts'
export { jobs } from './jobs.ts'
export { creationOptions, displayName, optionsFor, optionsForAnyone } from './passkey-options.ts'
export {
  challengeIdOf,
  checkAssertion,
  checkRegistration,
  nameFor,
  newCeremony,
  type Registered,
  userHandle,
} from './passkeys.ts'
export { makeRecoveryCodes } from './recovery-codes.ts'
export { domainForNew, type RelyingParty, refuseOrphans, relyingPartyOf } from './relying-party.ts'
export { openSecret, storedSecret } from './secrets.ts'
export { makeTotpSecret, qrCode, stepOfCode, totpUri } from './totp.ts'
export { findRecoveryCode, secondFactorFailed, tryUse, type Use, use } from './use.ts'
