/**
 * The rules of introspection and revocation (RFC 7662, RFC 7009). Leaves recognizing credentials to
 * access/credentials/authentication/authenticate.ts, and ending sessions and keys to their services.
 */

export { type ClaimedCredential, narrowed, type OwnClaims, organizationClaims } from './claims.ts'
export { introspect } from './introspection.ts'
export { createTokens, type Tokens } from './tokens.ts'
