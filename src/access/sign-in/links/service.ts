/** Links in messages: invitation, password reset, confirmation of an address. */
export { jobs } from './jobs.ts'
export { createInvited, requestAddress, sendVerification, typedMethodsOf } from './links.ts'
export { browserHashOf } from './passkey.ts'
export { type LinkNeeds, requestReset } from './request-reset.ts'
export { closeAllRequests, fulfilRequests } from './requests.ts'
