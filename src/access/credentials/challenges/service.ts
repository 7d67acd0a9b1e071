/**
 * Sign-ins and confirmations that wait for their next step, bound to the browser that started them. Leaves what a step
 * proves to sign-in/ and factors/.
 */
export {
  browserHash,
  challengeSeconds,
  countAttempt,
  emailCodeSeconds,
  endAll,
  endAllOfUserThrough,
  endAllThrough,
  endCodesOf,
  findProvenUser,
  finish,
  get,
  type Presented,
  startChallenge,
} from './challenges.ts'
export { jobs } from './jobs.ts'
export type { ChallengeRow } from './store.ts'
export { decideOn, deleteAllChallenges, findUsersWithChallenges, hasUndecided, listUndecided } from './store.ts'
