/** What other rooms may use. */
export { type Authenticator, createAuthenticator } from './authenticate.ts'
export { credentialFamilies } from './metrics.ts'
export { recordUses } from './record-uses.ts'
