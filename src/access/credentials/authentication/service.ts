/** Who sends a request: the credential, and the uses of it that are recorded. */
export { type Authenticator, createAuthenticator } from './authenticate.ts'
export { credentialFamilies } from './metrics.ts'
export { recordUses } from './record-uses.ts'
