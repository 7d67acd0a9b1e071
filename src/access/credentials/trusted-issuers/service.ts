/** What other rooms may use. */
export { trustedVerifier, type VerifiedTrusted } from './verify.ts'
