/** What all kinds of sign-in share: the proof, the browser, the second step, the response. */
export { type BrowserSignInNeeds, refuseOtherSites, sessionBefore, sessionCookies, signInBrowser } from './browser.ts'
export { type Finished, finishSignIn } from './finish.ts'
export { createSignInCounts, NoSignIn, type SignInCounts } from './metrics.ts'
export { isPossiblePassword, locked, verifyOwnPassword } from './password.ts'
export { newToken, requestAt, type SignInParts, type Visit, type When } from './proof.ts'
export { checkCode } from './second-factor.ts'
