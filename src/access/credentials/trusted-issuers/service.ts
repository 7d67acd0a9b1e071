/** Tokens of issuers that the operator trusts. */
export { trustedVerifier, type VerifiedTrusted } from './verify.ts'
