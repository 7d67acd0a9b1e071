/** `rollbook/verify`: what a main API needs to accept the people and the keys of Rollbook. See docs/verify.md. */
export type { Caller, Claims } from './caller.ts'
export { type Problem, type RefusalCode, VerifyError } from './errors.ts'
export type { VerifiableRequest } from './request.ts'
export { createVerifier, type Needs, type Verifier, type VerifierOptions } from './verifier.ts'
