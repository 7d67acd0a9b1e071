/** What all kinds of sign-in share: the proof, the browser, the second step, the response. */
export {
  type BrowserSignInNeeds,
  type InBrowser,
  refuseOtherSites,
  sessionBefore,
  sessionCookies,
  signInBrowser,
  signInByLink,
} from './browser.ts'
export type { CodeRequest } from './email-code.ts'
export { type Finished, finishSignIn, isEmailCodeRefused } from './finish.ts'
export { createSignInCounts, NoSignIn, type SignInCounts } from './metrics.ts'
export {
  currentPasswordWrong,
  isPossiblePassword,
  locked,
  ownPasswordRefused,
  verifyOwnPassword,
} from './password.ts'
export { newToken, requestAt, type SignInParts, type Visit, type When } from './proof.ts'
export { checkCode } from './second-factor.ts'
export type { Entering } from './sign-in.ts'
