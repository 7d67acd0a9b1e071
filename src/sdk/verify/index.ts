/** `@rollbook/sdk/verify`: lets a main API accept Rollbook's users and API keys. See docs/verify.md. */
export type { Act, Caller, Claims } from './caller.ts'
export { type Problem, type RefusalCode, VerifyError } from './errors.ts'
export type { Needs, RouteNeeds } from './needs.ts'
export type { VerifierOptions } from './options.ts'
export type { VerifiableRequest } from './request.ts'
export { createVerifier, type Verifier } from './verifier.ts'
