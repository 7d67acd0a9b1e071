/** Links that are given to a user, by message or by hand. */
export { type Handed, handOut, handOutLater, hasLiveLink, refuseUnsendable, type Way } from './hand-out.ts'
export {
  create,
  deleteLinksOf,
  type EndReason,
  end,
  endHandedOut,
  find,
  findLinkForChange,
  findNewestLink,
  findUsersWithLinks,
  type LinkRow,
  listSince,
  listUsersWithLinks,
  type Purpose,
  pendingEmail,
  prune,
  verificationSeconds,
} from './links.ts'
