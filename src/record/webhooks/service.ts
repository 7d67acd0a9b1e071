/** Webhook endpoints and their deliveries. */

export { eraseAttempts, giveUpWaiting } from './deliveries.ts'
export { startDispatcher } from './dispatch.ts'
export { create, remove, rotateSecret, update } from './endpoints.ts'
export { checkEndpointInput } from './input.ts'
export { jobs } from './jobs.ts'
export { metrics } from './metrics.ts'
export { type MadeSecret, makeSecret } from './secrets.ts'
export { listEndpoints as listRows } from './store.ts'
