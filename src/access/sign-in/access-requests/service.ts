/** People who ask for access: an address, then a request, then a decision. A request is no user before it is approved. */

export { refuseUnlessEnabled } from './enabled.ts'
export { findByToken, fulfilEntered, isOpen, requiredOf } from './entry.ts'
export { jobs } from './jobs.ts'
export { endUnconfirmed, erase } from './retention.ts'
export type { RequestRow } from './store.ts'
