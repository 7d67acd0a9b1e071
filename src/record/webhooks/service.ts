/** Webhook endpoints and their deliveries. */

export { startDispatcher } from './dispatch.ts'
export { jobs } from './jobs.ts'
export { metrics } from './metrics.ts'
export { eraseAttempts, giveUpWaiting } from './service-deliveries.ts'
