/**
 * Provisioning connections together with their API keys, which belong to access/: one commit creates both, and both end
 * together. Each change runs in a transaction.
 */
export { create, remove, update } from './provisioning.ts'
