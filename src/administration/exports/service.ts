/**
 * Exports with password hashes and second factors: each is recorded in the audit log before its first byte is sent. Leaves the rows to users/,
 * and the encryption to sealing.ts.
 */
export type { ExportedFactors, FindFactors } from './rows.ts'
export { exportStream } from './rows.ts'
