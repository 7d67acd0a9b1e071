/**
 * Sessions: a user signed in in one browser. Starts and ends them, and finds the user of one. Leaves verifying the user to
 * sign-in/, and the cookie to http/request/cookies.ts.
 */

export { deviceName } from './device-name.ts'
export { endAll, endAllOfAccount, endAllThrough, endImpersonations } from './end.ts'
export { jobs } from './jobs.ts'
export { cookiesAfter, returnToOwnSession } from './own-session.ts'
export { callerOf, personOf } from './person.ts'
export { organizationIn, type PersonRow, personColumns, toPerson } from './person-row.ts'
export {
  endAllOf,
  find,
  findCompany,
  findPerson,
  isFactorRequired,
  isOver,
  list,
  listOwn,
  type NewSession,
  refuseEnded,
  renewAuthentication,
  sessionTokenHash,
  startSession,
} from './sessions.ts'
export { countSessions, findUsersToSignOut, findUsersWithSessions } from './store.ts'
export { findTrusted, listOwn as listOwnTrusted, trustHash, trustHashesIn, trustSeconds, withTrust } from './trusted.ts'
export { deleteAllTrusted } from './trusted-store.ts'
