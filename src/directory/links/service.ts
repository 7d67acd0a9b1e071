/** What other rooms may use. */
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
  type Purpose,
  pendingEmail,
  prune,
  verificationSeconds,
} from './links.ts'
