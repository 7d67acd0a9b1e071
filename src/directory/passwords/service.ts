/** Password hashes of all kinds, and the policy for new passwords. */
export { type Argon2Parameters, argon2Parameters } from './argon2.ts'
export { fromBase64, toBase64 } from './base64.ts'
export { readForeignHash } from './foreign.ts'
export { type Caller, createHasher, type Hasher } from './hash.ts'
export { keycloakHash } from './keycloak.ts'
export { passwordFamilies } from './metrics.ts'
export { normalizePassword, type PasswordFault, passwordFault } from './policy.ts'
