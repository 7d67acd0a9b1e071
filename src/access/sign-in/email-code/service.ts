/** Asks for a code by email. Leaves checking it to sign-in/. */
export { requestEmailCode } from './request-code.ts'
export { fulfilCodes } from './requests.ts'
